import { readFileSync } from "node:fs";

/** What a system that does not say is taken to allow: the least that is common. */
const commonLimit = 256;

/** How many files the process may have open; read once, while there is a file left to read it with. */
export const processLimit: number = (() => {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ??
      [];
    return Number(soft ?? commonLimit);
  } catch {
    return commonLimit;
  }
})();
