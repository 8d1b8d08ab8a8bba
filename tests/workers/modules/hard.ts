import process from "node:process";
import { flatMap, lines, map } from "../../../mod.ts";
import { defineStages, perThread } from "../../../src/workers/mod.ts";

/** What a chunk asks a thread to do. */
export interface Order {
  readonly does:
    | "echo"
    | "throw"
    | "throwOwn"
    | "throwUndefined"
    | "exit"
    | "loop"
    | "function"
    | "many"
    | "count"
    | "hang";
  readonly value?: unknown;
}

export class OwnError extends Error {
  override readonly name = "OwnError";
  readonly row: number;

  constructor(row: number) {
    super(`row ${row}`, { cause: new RangeError("the cause") });
    this.row = row;
  }
}

/** Never given: a thread that waits for it returns to nothing else, and leaves the core to others. */
const never = new Int32Array(new SharedArrayBuffer(4));

const counter = perThread(() => ({ made: 0 }));

export const unused = lines;

export default defineStages(() => [
  flatMap(({ does, value }: Order): unknown[] | Promise<unknown[]> => {
    if (does === "throw") throw new TypeError(`thrown for ${value}`);
    if (does === "throwOwn") throw new OwnError(Number(value));
    if (does === "throwUndefined") throw undefined;
    if (does === "exit") process.exit(7);
    if (does === "loop") { while (true) Atomics.wait(never, 0, 0, 50); }
    if (does === "function") return [() => {}];
    if (does === "many") return Array.from({ length: Number(value) }, (_, index) => index);
    if (does === "count") return [++counter().made];
    if (does === "hang") return new Promise<unknown[]>(() => {});
    return [value];
  }),
  map((value: unknown) => value),
]);
