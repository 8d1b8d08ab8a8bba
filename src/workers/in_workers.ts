import { operator } from "../kernels/operator.ts";
import { yieldTurn } from "../engine/turn_budget.ts";
import type { Transformer } from "../web_types.ts";
import { BlockRun } from "./block_run.ts";
import { type Block, ChunkCutter, type Cutter, DelimiterCutter } from "./record_cutter.ts";
import type { StagesDefinition } from "./stages_definition.ts";
import { type InWorkersOptions, readInWorkersOptions } from "./in_workers_options.ts";
import type { WebWorker } from "./thread_connection.ts";
import { ThreadPool } from "./thread.ts";

/** A module for threads, by the type of what it exports: `typeof import("./clean.ts")`. */
export interface StagesModule {
  /** What `defineStages` returned. */
  // deno-lint-ignore no-explicit-any -- of any chunk types
  readonly default: StagesDefinition<any, any, any>;
}

/**
 * The chunks that go into a module's stages.
 *
 * @internal
 */
export type InputOfModule<Module> = Module extends // deno-lint-ignore no-explicit-any -- of any options
{ readonly default: StagesDefinition<infer I, unknown, any> } ? I
  : unknown;

/**
 * The chunks that come out of a module's stages.
 *
 * @internal
 */
export type OutputOfModule<Module> = Module extends // deno-lint-ignore no-explicit-any -- of any chunks and options
{ readonly default: StagesDefinition<any, infer O, any> } ? O
  : unknown;

const pools = new Map<string, ThreadPool>();

/**
 * Runs a module's stages in threads, in order, with backpressure.
 *
 * The input is cut into blocks; each block is a whole stream through the stages that the module defines with
 * `defineStages`, and what blocks give goes on in their order. So the stages must not remember anything from one
 * chunk to the next, or from one record to the next with `cut`, unless blocks are meant (`perBlock`). Chunks that a
 * block gave before it failed go on before the failure.
 *
 * Chunks are cloned on their way, as by `structuredClone`. Where there are no threads, the stages run in place; the
 * result of `pipeline` says so, and how many blocks there were, in `threads`.
 *
 * @typeParam Module The type of the module, `typeof import("./clean.ts")`; it gives the types of the chunks.
 * @param module The address of the module, or a function that makes a worker of it, as bundlers want it:
 * `() => new Worker(new URL("./clean.ts", import.meta.url), { type: "module" })`. A function that imports the module,
 * `() => import("./clean.ts")`, runs it in place: for where there are no threads, such as workerd.
 * @param options How many threads, and what a block is.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If an argument or an option has the wrong type, or an option is unknown.
 * @throws {RangeError} If a number is out of range.
 *
 * @example The stages of a module, in four threads
 * ```ts
 * import { inWorkers } from "@hosepipe/streams/workers";
 * import assert from "node:assert/strict";
 *
 * // clean.ts: export default defineStages(() => [map(clean)]);
 * const stage = inWorkers(new URL("./clean.ts", import.meta.url), { threads: 4 });
 *
 * assert.deepEqual(typeof stage.transform, "function");
 * ```
 */
export function inWorkers<Module extends StagesModule = StagesModule>(
  module: URL | string | (() => WebWorker | PromiseLike<unknown>),
  options?: InWorkersOptions,
): Transformer<InputOfModule<Module>, OutputOfModule<Module>> {
  const settings = readInWorkersOptions(module, options);
  const { cut, blockSize, perBlock, maxRecordBytes, poolKey, idleMs } = settings;
  let pool = poolKey === undefined ? undefined : pools.get(poolKey);
  if (pool === undefined) {
    pool = new ThreadPool(settings, idleMs);
    if (poolKey !== undefined) pools.set(poolKey, pool);
  }
  const own = pool;

  return operator<InputOfModule<Module>, OutputOfModule<Module>>((controller, context) => {
    const cutter: Cutter = cut === undefined
      ? new ChunkCutter(blockSize, perBlock)
      : new DelimiterCutter(cut, blockSize, maxRecordBytes);
    const run = new BlockRun(
      controller as TransformStreamDefaultController<unknown>,
      { ...settings, pool: own, learn: (size, busyMs) => cutter.learn(size, busyMs) },
      (reason) => {
        context.stop(reason);
        if (!isWaiting) controller.error(reason);
      },
    );
    let isWaiting = false;
    let isLooking = false;

    // What nothing follows at once goes to a thread that has nothing to do.
    const look = () => {
      isLooking = false;
      if (!run.hasIdle) return;
      const block = cutter.takeRest(false);
      if (block !== undefined) void run.add(block);
    };
    const whileWaiting = async (promise: Promise<void>) => {
      isWaiting = true;
      try {
        await promise;
      } finally {
        isWaiting = false;
      }
    };
    const finish = (): Promise<void> => {
      const rest: Block | undefined = cutter.takeRest(true);
      if (rest !== undefined) void Promise.resolve(run.add(rest)).catch(() => {});
      return whileWaiting(run.finish());
    };
    return {
      transform(chunk) {
        const block = cutter.add(chunk);
        if (block === undefined && !isLooking && run.hasIdle) {
          isLooking = true;
          yieldTurn(look);
        }
        const room = block === undefined ? run.room() : run.add(block);
        return room && whileWaiting(room);
      },
      flush: finish,
      flushNow: finish,
      drain: finish,
      cancel: () => run.stop(),
      waiting: () => run.waiting(),
      addCounts: (counts) => run.addCounts(counts),
    };
  }, { name: "inWorkers" });
}
