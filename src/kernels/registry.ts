import type { Kernel } from "./kernel.ts";

class Identity {
  constructor(object: object) {
    return object;
  }
}

/** Keeps what is known of an object in the object itself, unseen: a `WeakMap` costs some hundred nanoseconds an entry. */
class Mark extends Identity {
  readonly #make: () => Kernel;

  constructor(object: object, make: () => Kernel) {
    super(object);
    this.#make = make;
  }

  static read(object: object): (() => Kernel) | undefined {
    return #make in object ? object.#make : undefined;
  }
}

/** Passes on what is under way in the stream of a controller. */
export type Drain = (controller: object) => unknown;

class DrainMark extends Identity {
  readonly #drain: Drain;

  constructor(object: object, drain: Drain) {
    super(object);
    this.#drain = drain;
  }

  static read(object: object): Drain | undefined {
    return #drain in object ? object.#drain : undefined;
  }
}

/**
 * Tells the engine how to make the kernel that `dictionary` and its method `transform` stand for. The dictionary must
 * not change afterwards; a copy that a user changed is believed as far as its `transform` is still the operator's own.
 */
export function setKernel(dictionary: object, transform: object, make: () => Kernel): void {
  new Mark(dictionary, make);
  new Mark(transform, make);
}

/** How to make the kernel of a dictionary or of a `transform` method, if it has one. */
export function getKernel(dictionaryOrTransform: object): (() => Kernel) | undefined {
  return Mark.read(dictionaryOrTransform);
}

/** Tells the engine how a stage passes on what it has begun when its input fails, before its cancel is called. */
export function setDrain(transform: object, drain: Drain): void {
  new DrainMark(transform, drain);
}

/** How the stage of a `transform` method passes on what it has begun, if it can. */
export function getDrain(transform: object): Drain | undefined {
  return DrainMark.read(transform);
}
