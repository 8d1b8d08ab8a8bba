import type { Kernel } from "./kernel.ts";

// Keyed by the dictionary, which is frozen, and by its `transform`: a copy that a user changed is believed only
// as far as its `transform` is still the operator's own.
const makers = new WeakMap<object, () => Kernel>();

/** Tells the engine how to make the kernel that `dictionary` and its method `transform` stand for. */
export function setKernel(dictionary: object, transform: object, make: () => Kernel): void {
  makers.set(dictionary, make);
  makers.set(transform, make);
}

/** How to make the kernel of a dictionary or of a `transform` method, if it has one. */
export function getKernel(dictionaryOrTransform: object): (() => Kernel) | undefined {
  return makers.get(dictionaryOrTransform);
}
