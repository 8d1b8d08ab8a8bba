/**
 * Stages that run in threads, in order, with backpressure. A module says with `defineStages` which stages a thread
 * runs; `inWorkers` is the stage that cuts its input into blocks for them.
 *
 * @module
 */
export { type AnyStage, defineStages, type StagesDefinition } from "./define_stages.ts";
export type { TimeoutAnswer } from "./block_run.ts";
export type { ErrorClass } from "./carry_error.ts";
export { inWorkers, type StagesModule } from "./in_workers.ts";
export type { InWorkersOptions } from "./in_workers_options.ts";
export { perThread } from "./per_thread.ts";
export type { WebWorker } from "./thread_connection.ts";
