import type { PipelineSink, PipelineSource } from "./types.ts";
import type { Transformer } from "../web_types.ts";

/** What a source or stage gives; `never` where nothing is known. */
export type OutputOf<Part> = Part extends ReadableWritablePair<infer O, infer _I> ? O
  : Part extends Transformer<infer _I, infer O> ? O
  : Part extends PipelineSource<infer T> ? T
  : never;

/** `Part` where it takes `Chunk`, else what should stand in its place: that is where the compiler points. */
export type FittingPart<Part, Chunk> = [Chunk] extends [never] ? Part
  : Part extends PipelineSink<infer T> ? (Chunk extends T ? Part : PipelineSink<Chunk>)
  : Part extends ReadableWritablePair<infer O, infer I>
    ? (Chunk extends I ? Part : ReadableWritablePair<O, Chunk>)
  : Part extends Transformer<infer I, infer O> ? (Chunk extends I ? Part : Transformer<Chunk, O>)
  : Part;

/** The parts of a chain, each held against the one before it; an array of no fixed length is believed. */
export type CheckedChain<Parts extends readonly unknown[], Chunk = never> = Parts extends
  readonly [infer First, ...infer Rest]
  ? [FittingPart<First, Chunk>, ...CheckedChain<Rest, OutputOf<First>>]
  : Parts;
