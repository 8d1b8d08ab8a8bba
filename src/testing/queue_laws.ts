import { queueDeadLaws } from "./queue_dead_laws.ts";
import type { QueueLaw } from "./queue_law_run.ts";
import { queueLeaseLaws } from "./queue_lease_laws.ts";
import { queueReceiveLaws } from "./queue_receive_laws.ts";
import { queueSendLaws } from "./queue_send_laws.ts";

/** The laws of queues, by name. */
export const queueLaws: Readonly<Record<string, QueueLaw>> = {
  ...queueLeaseLaws,
  ...queueReceiveLaws,
  ...queueSendLaws,
  ...queueDeadLaws,
};
