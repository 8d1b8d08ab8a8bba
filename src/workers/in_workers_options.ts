import { throwTypeError } from "../errors.ts";
import { anything, boolean, callback, integer, readOptions, text } from "../read_options.ts";
import type { BlockSettings, TimeoutAnswer } from "./block_run.ts";
import type { Memory } from "./check_memory.ts";
import type { ErrorClass } from "./carry_error.ts";
import type { ThreadSettings } from "./thread.ts";
import type { ThreadModule, WebWorker } from "./thread_connection.ts";

/** How `inWorkers` works. */
export interface InWorkersOptions {
  /** How many threads, a positive integer. Default: the number of cores less one, at least 1. */
  threads?: number | undefined;
  /** Whether what blocks give keeps their order. Default: `true`. */
  ordered?: boolean | undefined;
  /**
   * The delimiter behind which bytes or text are cut into blocks, such as `"\n"`; a text of at least one character.
   * Default: none, blocks are of whole chunks.
   */
  cut?: string | undefined;
  /**
   * How large a block is, a positive integer: with `cut` in bytes or characters, default 65,536; otherwise the most
   * chunks, default 1,024, of which a block has as many as take about 500 µs.
   */
  blockSize?: number | undefined;
  /** Whether stages may remember chunks within a block, which then has exactly `blockSize` of them. Default: `false`. */
  perBlock?: boolean | undefined;
  /** How many blocks are in flight or wait for their turn, a positive integer. Default: two a thread. */
  maxBlocks?: number | undefined;
  /** How long a record may be with `cut`, a positive integer of bytes or characters. Default: 16,777,216. */
  maxRecordBytes?: number | undefined;
  /** Whether the buffers of chunks may be taken away from those that gave them. Default: `false`. */
  transfer?: boolean | undefined;
  /** What the module's `defineStages` is given, as a clone. Default: `undefined`. */
  options?: unknown;
  /** After how many milliseconds the thread of a block is ended, a positive integer. Default: never. */
  timeoutMs?: number | undefined;
  /**
   * Called for a block that took longer than `timeoutMs`, with its index, counted from 0, and its chunks; returns
   * `"fail"` or `"skip"`. Default: the run fails with a `TimeoutError`.
   */
  onTimeout?: ((index: number, chunks: readonly unknown[]) => TimeoutAnswer) | undefined;
  /** After how many milliseconds without work threads end, a non-negative integer. Default: 10,000. */
  idleMs?: number | undefined;
  /** What the threads are called. Default: `"hosepipe"`. */
  name?: string | undefined;
  /** Classes of errors, by whose names thrown ones are instances of them again. Default: none. */
  errorClasses?: readonly ErrorClass[] | undefined;
}

/** The options, with their defaults. */
export type InWorkersSettings =
  & Omit<BlockSettings, "pool" | "learn">
  & ThreadSettings
  & {
    readonly cut: string | undefined;
    readonly blockSize: number;
    readonly perBlock: boolean;
    readonly maxRecordBytes: number;
    readonly idleMs: number;
    /** By what runs share their threads; `undefined` if they do not. */
    readonly poolKey: string | undefined;
  };

const action = "create inWorkers";

function readModule(module: unknown): ThreadModule {
  if (typeof module === "function") return module as () => WebWorker;
  if (module instanceof URL) return module;
  if (typeof module === "string" && URL.canParse(module)) return new URL(module);
  return throwTypeError(action, "module", "a URL or a function that makes a worker", module);
}

function coreCount(): number {
  const { navigator } = globalThis as { navigator?: { hardwareConcurrency?: number } };
  return navigator?.hardwareConcurrency ?? 1;
}

/** Checks the arguments of `inWorkers`. */
export function readInWorkersOptions(module: unknown, given?: InWorkersOptions): InWorkersSettings {
  const address = readModule(module);
  const { transfer, ...read } = readOptions(action, given, {
    threads: integer(Math.max(1, coreCount() - 1)),
    blockSize: integer(given?.cut === undefined ? 1_024 : 65_536),
    maxBlocks: integer(undefined),
    maxRecordBytes: integer(16_777_216),
    idleMs: integer(10_000, 0),
    timeoutMs: integer(undefined),
    onTimeout: callback(),
    ordered: boolean(true),
    perBlock: boolean(false),
    transfer: boolean(false),
    name: text("hosepipe"),
    cut: anything(),
    errorClasses: anything([]),
    options: anything(),
  });
  const { threads, maxBlocks = 2 * threads, cut, perBlock, idleMs, name } = read;
  const { options, timeoutMs, errorClasses } = read;
  if (cut !== undefined && (typeof cut !== "string" || cut === "")) {
    throwTypeError(action, "cut", "a string of at least one character", cut);
  }
  if (!Array.isArray(errorClasses) || errorClasses.some((one) => typeof one !== "function")) {
    throwTypeError(action, "errorClasses", "an array of classes", errorClasses);
  }
  // A block that may be asked for again keeps its buffers.
  const transfers = timeoutMs !== undefined
    ? "none"
    : transfer
    ? "all"
    : cut === undefined
    ? "none"
    : "own";
  const optionsKey = address instanceof URL && timeoutMs === undefined
    ? keyOfOptions(options)
    : undefined;
  const memory: Memory = perBlock ? "block" : cut === undefined ? "nothing" : "record";
  return {
    ...read,
    memory,
    module: address,
    maxBlocks,
    transfers,
    poolKey: optionsKey === undefined
      ? undefined
      : JSON.stringify([String(address), memory, idleMs, name, optionsKey]),
  };
}

/** How long a key may be: what is larger is not looked through for each run. */
const longestKey = 10_000;

function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) {
    return value.every(isPlain) && Object.keys(value).length === value.length;
  }
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return false;
  // A method of this name would change what the key says, and a symbol is not in it.
  return !("toJSON" in value) && Object.getOwnPropertySymbols(value).length === 0 &&
    Object.values(value).every(isPlain);
}

/** A text that is the same for equal options; `undefined` if JSON cannot tell whether they are. */
export function keyOfOptions(options: unknown): string | undefined {
  if (options === undefined) return "";
  try {
    // Of what refers to itself there is none.
    const key = JSON.stringify(options);
    return key !== undefined && key.length <= longestKey && isPlain(options) ? key : undefined;
  } catch {
    return undefined;
  }
}
