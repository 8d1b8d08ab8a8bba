/**
 * Stages that run in threads, in order, with backpressure. A module says with `defineStages` which stages a thread
 * runs; `inWorkers` is the stage that cuts its input into blocks for them.
 *
 * @module
 */
export { defineStages } from "./define_stages.ts";
export type { AnyStage, StagesDefinition } from "./stages_definition.ts";
export type { TimeoutAnswer } from "./block_run.ts";
export type { ErrorClass } from "./carry_error.ts";
export {
  type InputOfModule,
  inWorkers,
  type OutputOfModule,
  type StagesModule,
} from "./in_workers.ts";
export type { InWorkersOptions } from "./in_workers_options.ts";
export { perThread } from "./per_thread.ts";
export type { WebWorker } from "./thread_connection.ts";
export type { Transformer } from "../web_types.ts";
