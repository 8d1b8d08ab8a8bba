import { processLimit } from "./process_limit.ts";
import { Slots } from "./slots.ts";

/** A quarter of what the process may have open: the rest is for connections, and for what else it does. */
const defaultMaxOpenFiles = Math.max(1, Math.floor(processLimit / 4));

/** The places of all handlers that have none of their own. */
export const sharedSlots: Slots = new Slots(defaultMaxOpenFiles);
