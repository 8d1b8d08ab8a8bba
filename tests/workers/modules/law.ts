import { flatMap, map } from "../../../mod.ts";
import { defineStages } from "../../../src/workers/mod.ts";

/** What is done with one chunk. */
export interface Step {
  readonly gives: number;
  readonly waits?: boolean;
  readonly fails?: "throws" | "rejects";
  readonly index?: number;
}

/** Gives each chunk some times; fails or waits where it says so. */
export const makeStages = () =>
  [
    flatMap(({ gives, waits, fails, index }: Step): string[] | Promise<string[]> => {
      if (fails === "throws") throw new TypeError(`${index}`);
      if (fails === "rejects") return Promise.reject(new RangeError(`${index}`));
      const given = Array.from({ length: gives }, (_, time) => `${index}.${time}`);
      return waits ? new Promise((resolve) => setTimeout(resolve, 1, given)) : given;
    }),
    map((text: string) => `<${text}>`),
  ] as const;

export default defineStages(() => makeStages());
