import type { FromThread, ThreadPort, ToThread } from "./messages.ts";
import { nodeThreads, pack, threadMark, unpack } from "./node_threads.ts";
import { checkFunction } from "../errors.ts";
import { serveStages } from "./serve_stages.ts";
import type { AnyStage, InputOf, OutputOf, StagesDefinition } from "./stages_definition.ts";

/**
 * Says which stages a thread runs. A module that calls it and exports what it returns as its default is what
 * `inWorkers` is given.
 *
 * The stages are made for each block; what is costly to make, such as a connection, belongs into `perThread`.
 *
 * @typeParam Options The type of what `inWorkers` is given as `options`.
 * @typeParam Stages The types of the stages.
 * @param make Gets the `options` of `inWorkers`, as a clone; returns a stage or an array of them.
 * @returns The definition, for `export default`.
 * @throws {TypeError} If `make` is not a function.
 *
 * @example A module with one stage
 * ```ts
 * import { map } from "@hosepipe/streams";
 * import { defineStages } from "@hosepipe/streams/workers";
 * import assert from "node:assert/strict";
 *
 * // export default
 * const stages = defineStages((factor: number) => [map((n: number) => n * factor)]);
 *
 * assert.deepEqual(Array.isArray(stages.make(2)), true);
 * ```
 */
export function defineStages<
  Options,
  const Stages extends AnyStage | readonly AnyStage[],
>(
  make: (options: Options) => Stages,
): StagesDefinition<InputOf<Stages>, OutputOf<Stages>, Options> {
  checkFunction("define stages", "make", make);
  const definition = Object.freeze({ make });
  const port = ownPort();
  if (port !== undefined) serveStages(port, definition as StagesDefinition<unknown, unknown>);
  return definition;
}

interface WorkerScope {
  readonly WorkerGlobalScope?: abstract new () => object;
  postMessage(message: unknown, transfer: readonly unknown[]): void;
  addEventListener(type: "message", listener: (event: { data: never }) => void): void;
}

let isTaken = false;

/** The port to the one that began this thread, if this is a thread that `inWorkers` began; for the first that asks. */
function ownPort(): ThreadPort<FromThread, ToThread> | undefined {
  if (isTaken) return undefined;
  const threads = nodeThreads();
  if (threads !== undefined) {
    const { parentPort, workerData } = threads;
    if (parentPort === null || workerData !== threadMark) return undefined;
    isTaken = true;
    return {
      post: (message, transfer = []) => parentPort.postMessage(pack(message), transfer),
      listen: (onMessage) =>
        void parentPort.on("message", (packed: ReadonlySet<ToThread>) => onMessage(unpack(packed))),
    };
  }
  const scope = globalThis as unknown as WorkerScope;
  const isWorker = scope.WorkerGlobalScope !== undefined &&
    scope instanceof scope.WorkerGlobalScope;
  if (!isWorker) return undefined;
  isTaken = true;
  return {
    post: (message, transfer = []) => scope.postMessage(message, transfer),
    listen: (onMessage) => scope.addEventListener("message", ({ data }) => onMessage(data)),
  };
}
