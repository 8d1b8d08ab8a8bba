import type { Kernel } from "./kernel.ts";
import type { StageFunction } from "./function_kernel.ts";
import type { Open, Operation } from "./operation.ts";
import type { TransformerHost } from "./transformer.ts";

/** What a dictionary of ours, or its `transform`, stands for: one of these. */
export interface Meaning {
  /** What it is called. */
  readonly name?: string;
  /** The function that it was given, which stands in its name. */
  // deno-lint-ignore no-explicit-any -- of any kind
  readonly fn?: (...args: any[]) => unknown;
  /** An operator whose kernel handles many chunks at a time. */
  readonly makeKernel?: (host?: TransformerHost) => Kernel;
  /** Whether that kernel needs the engine to resume it. */
  readonly isGenerator?: boolean;
  /** Any other operator. */
  // deno-lint-ignore no-explicit-any -- of any chunk types
  readonly open?: Open<any, any>;
  /** What an `open` remembers: nothing, what a record has begun with, or (by default) what came before. */
  readonly remembers?: "nothing" | "record";
  /** Of an operator that calls that function for each chunk, several at a time: the same with another function. */
  // deno-lint-ignore no-explicit-any -- of any chunk types
  readonly openWith?: (fn: StageFunction) => Open<any, any>;
  /** A composition: the stages that it is made of. */
  readonly stages?: readonly unknown[];
  /** Of a `transform`, which a changed copy of an operator still has: its work in the stream of a controller. */
  readonly operationOf?: (
    controller: TransformStreamDefaultController<unknown>,
  ) => Operation<unknown>;
}

class Identity {
  constructor(object: object) {
    return object;
  }
}

/** Keeps what is known of an object in the object itself, unseen: a `WeakMap` costs some hundred nanoseconds an entry. */
class Mark extends Identity {
  readonly #meaning: Meaning;

  constructor(object: object, meaning: Meaning) {
    super(object);
    this.#meaning = meaning;
  }

  static read(object: object): Meaning | undefined {
    return #meaning in object ? object.#meaning : undefined;
  }
}

/** Says what `object` stands for: a dictionary, which must not change afterwards, or the `transform` of one. */
export function setMeaning(object: object, meaning: Meaning): void {
  new Mark(object, meaning);
}

/** What a dictionary, or a `transform`, stands for, if it is ours. */
export function meaningOf(object: object): Meaning | undefined {
  return Mark.read(object);
}
