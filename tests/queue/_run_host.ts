import type { Ending } from "../../src/engine/ports.ts";
import { LeasedMessage } from "../../src/queue/message.ts";
import type { RunHost } from "../../src/queue/message_runs.ts";

/** A message of its own, with this body. */
export function messageOf(body: unknown): LeasedMessage {
  const delivery = { id: "0", body, receipt: {}, deliveries: 1, failures: 0, isolations: 0 };
  return new LeasedMessage(delivery as never, {});
}

/** Notes what it is given and how the work ends; `answer` says what it answers each output. */
export function notingHost(
  answer: (value: unknown) => Promise<void> | undefined = () => undefined,
) {
  const given: unknown[] = [];
  const endings: Ending[] = [];
  const host: RunHost = {
    give(_message, value) {
      given.push(value);
      return answer(value);
    },
    end: (_work, _message, ending) => void endings.push(ending),
  };
  return { host, given, endings };
}
