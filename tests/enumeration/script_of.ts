import type { Schedule } from "./schedule.ts";

/** A script that replays a schedule. */
export function scriptOf(schedule: Schedule): string {
  return `// ${JSON.stringify(schedule)}`;
}
