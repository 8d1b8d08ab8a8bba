import type { Transformer } from "../web_types.ts";

/** Any stage, of whatever chunks. */
// deno-lint-ignore no-explicit-any -- of any chunk types
export type AnyStage = Transformer<any, any>;

/**
 * The type of the chunks that go into the first of `Stages`.
 *
 * @internal
 */
export type InputOf<Stages> = Stages extends Transformer<infer I, unknown> ? I
  // deno-lint-ignore no-explicit-any -- of any chunk types
  : Stages extends readonly [Transformer<infer I, any>, ...unknown[]] ? I
  : unknown;

/**
 * The type of the chunks that come out of the last of `Stages`.
 *
 * @internal
 */
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
