import { checkFunction } from "../errors.ts";
import type { Transformer } from "../web_types.ts";
import { ownPort } from "./own_port.ts";
import { serveStages } from "./serve_stages.ts";

/** Any stage, of whatever chunks. */
// deno-lint-ignore no-explicit-any -- of any chunk types
export type AnyStage = Transformer<any, any>;

/** The type of the chunks that go into the first of `Stages`. */
export type InputOf<Stages> = Stages extends Transformer<infer I, unknown> ? I
  // deno-lint-ignore no-explicit-any -- of any chunk types
  : Stages extends readonly [Transformer<infer I, any>, ...unknown[]] ? I
  : unknown;

/** The type of the chunks that come out of the last of `Stages`. */
export type OutputOf<Stages> =
  // deno-lint-ignore no-explicit-any -- of any chunk types
  Stages extends Transformer<any, infer O> ? O
    // deno-lint-ignore no-explicit-any -- of any chunk types
    : Stages extends readonly [...unknown[], Transformer<any, infer O>] ? O
    : unknown;

/** What a module for threads exports as its default. */
export interface StagesDefinition<I, O, Options = unknown> {
  /** Makes the stages of one block. */
  readonly make: (options: Options) => AnyStage | readonly AnyStage[];
  /** The chunks that go in and come out; only for the compiler. */
  readonly chunks?: { readonly input: (chunk: I) => void; readonly output: O };
}

/**
 * Says which stages a thread runs. A module that calls it and exports what it returns as its default is what
 * `inWorkers` is given.
 *
 * The stages are made anew for each block; what is costly to make, such as a connection, belongs into `perThread`.
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
 * import { assertEquals } from "@std/assert";
 *
 * // export default
 * const stages = defineStages((factor: number) => [map((n: number) => n * factor)]);
 *
 * assertEquals(Array.isArray(stages.make(2)), true);
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
