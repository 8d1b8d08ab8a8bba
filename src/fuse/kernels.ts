/** What the engine knows of an operator beyond its dictionary, so that it may run it without a controller. */
export type Kernel =
  | { readonly kind: "map"; readonly fn: (chunk: unknown, index: number) => unknown }
  | { readonly kind: "filter"; readonly fn: (chunk: unknown, index: number) => unknown }
  | { readonly kind: "tap"; readonly fn: (chunk: unknown, index: number) => unknown }
  | { readonly kind: "flatMap"; readonly fn: (chunk: unknown, index: number) => unknown };

// Keyed by the transform method itself: a dictionary that a user copies and changes is believed only as
// far as its `transform` is still the operator's own.
const kernels = new WeakMap<object, Kernel>();

/** Tells the engine what `transform` does. */
export function setKernel(transform: object, kernel: Kernel): void {
  kernels.set(transform, kernel);
}

/** What is known of a `transform` method, if anything. */
export function getKernel(transform: object): Kernel | undefined {
  return kernels.get(transform);
}
