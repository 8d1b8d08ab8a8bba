import { bun } from "./bun.ts";
import { deno } from "./deno.ts";
import { node } from "./node.ts";

/** The runtimes hosepipe is built for, in the order its tables show them: a new one is one file and its place here. */
export const descriptors = { deno, bun, node } as const;
