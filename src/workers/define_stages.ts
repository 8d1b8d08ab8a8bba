import { checkFunction } from "../errors.ts";
import { ownPort } from "./own_port.ts";
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
