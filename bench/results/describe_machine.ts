import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import process from "node:process";
import type { Machine } from "./result.ts";

/** Says what this machine is, for the result file. */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() || "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30 * 10) / 10,
    os: `${type()} ${release()} ${process.arch}`,
  };
}
