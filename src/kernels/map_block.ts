import { type MapKernel, mustWait } from "./map.ts";
import type { Slice } from "./slice.ts";

/** How many maps a block holds. */
export const blockSize = 8;

/**
 * Maps in a row, run as one: each call stands in a place of its own, which lets an engine make it a direct
 * one. What a map does with its chunk is `MapKernel`'s to say.
 */
export class MapBlock {
  readonly #kernels: readonly MapKernel[];
  /** The map that waits or has thrown; none: -1. */
  at = -1;

  constructor(kernels: readonly MapKernel[]) {
    this.#kernels = kernels;
  }

  /** As `OneKernel.run`, while `first` is open. */
  run(slice: Slice, first: { readonly isOpen: boolean }): number {
    const kernels = this.#kernels;
    const { items, count } = slice;
    const [k0, k1, k2, k3, k4, k5, k6, k7] = kernels as Eight;
    const f0 = k0.fn, f1 = k1.fn, f2 = k2.fn, f3 = k3.fn;
    const f4 = k4.fn, f5 = k5.fn, f6 = k6.fn, f7 = k7.fn;
    const c0 = k0.context, c1 = k1.context, c2 = k2.context, c3 = k3.context;
    const c4 = k4.context, c5 = k5.context, c6 = k6.context, c7 = k7.context;
    const n0 = k0.index, n1 = k1.index, n2 = k2.index, n3 = k3.index;
    const n4 = k4.index, n5 = k5.index, n6 = k6.index, n7 = k7.index;
    let i = 0;
    let at = -1;
    let a: unknown;
    let b: unknown;
    try {
      for (; i < count && first.isOpen; i++) {
        at = 0;
        a = items[i];
        b = f0(a, n0 + i, c0);
        if (typeof b !== "string" && mustWait(b, a)) break;
        at = 1;
        a = f1(b, n1 + i, c1);
        if (typeof a !== "string" && mustWait(a, b)) break;
        at = 2;
        b = f2(a, n2 + i, c2);
        if (typeof b !== "string" && mustWait(b, a)) break;
        at = 3;
        a = f3(b, n3 + i, c3);
        if (typeof a !== "string" && mustWait(a, b)) break;
        at = 4;
        b = f4(a, n4 + i, c4);
        if (typeof b !== "string" && mustWait(b, a)) break;
        at = 5;
        a = f5(b, n5 + i, c5);
        if (typeof a !== "string" && mustWait(a, b)) break;
        at = 6;
        b = f6(a, n6 + i, c6);
        if (typeof b !== "string" && mustWait(b, a)) break;
        at = 7;
        a = f7(b, n7 + i, c7);
        if (typeof a !== "string" && mustWait(a, b)) break;
        items[i] = a;
        at = -1;
      }
    } finally {
      slice.kept = i;
      this.at = at;
      for (let k = 0; k < blockSize; k++) kernels[k]!.index += k <= at ? i + 1 : i;
    }
    if (at >= 0) slice.promise = (at & 1) === 0 ? b : a;
    return i;
  }
}

type Eight = readonly [
  MapKernel,
  MapKernel,
  MapKernel,
  MapKernel,
  MapKernel,
  MapKernel,
  MapKernel,
  MapKernel,
];
