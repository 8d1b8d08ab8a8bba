import process from "node:process";
import { defineStages } from "../../../src/workers/mod.ts";

/** Where a thread ends itself: at a chunk, before or after what is made of it, while it waits, or at the end. */
export interface Point {
  readonly chunk: number;
  readonly when: "before" | "after" | "waiting" | "flush" | "start";
}

/** Gives each chunk twice, and ends its thread where it is asked to. */
export default defineStages(({ chunk: at, when }: Point) => {
  let last = -1;
  return [{
    start() {
      if (when === "start" && at < 0) process.exit(3);
    },
    async transform(chunk: number, controller: TransformStreamDefaultController<string>) {
      last = chunk;
      if (chunk === at && when === "before") process.exit(3);
      controller.enqueue(`${chunk} a`);
      if (chunk === at && when === "waiting") {
        await Promise.resolve();
        process.exit(3);
      }
      controller.enqueue(`${chunk} b`);
      if (chunk === at && when === "after") process.exit(3);
    },
    flush() {
      if (when === "flush" && last >= at) process.exit(3);
    },
  }];
});
