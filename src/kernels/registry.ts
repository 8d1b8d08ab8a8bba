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
