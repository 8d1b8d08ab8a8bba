import { readFileSync } from "node:fs";
import { Slots } from "./slots.ts";

/** What a system that does not say is taken to allow: the least that is common. */
const commonLimit = 256;

/** How many files the process may have open; read once, while there is a file left to read it with. */
const processLimit = (() => {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ??
      [];
    return Number(soft ?? commonLimit);
  } catch {
    return commonLimit;
  }
})();

/** A quarter of what the process may have open: the rest is for connections, and for what else it does. */
const defaultMaxOpenFiles = Math.max(1, Math.floor(processLimit / 4));

/** The places of all handlers that have none of their own. */
export const sharedSlots: Slots = new Slots(defaultMaxOpenFiles);
