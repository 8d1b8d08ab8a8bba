import type { BodyStep } from "./job.ts";

const all: readonly BodyStep[] = [
  (text) => text.toUpperCase(),
  (text) => `<${text}`,
  (text) => text.replace("ROW", "row"),
  (text) => `${text}>`,
  (text) => `${text}\n`,
];

/** The steps of a body: five that differ, in turn. */
export function bodySteps(count: number): BodyStep[] {
  return Array.from({ length: count }, (_, index) => all[index % all.length]!);
}
