import { Buffer } from "node:buffer";
import type { ContestantEntry } from "../measure/workload.ts";

/** A way to get a buffer of `size` bytes. */
export type Allocate = (size: number) => Uint8Array;

/** A contestant of allocation: so short that it stands in its entry. */
export interface AllocationContestant extends ContestantEntry {
  /** Whether its bytes are promised to be 0. */
  readonly isZeroed: boolean;
  /** Makes the function for one case. */
  create(size: number): Allocate;
}

/** Every contestant of allocation. */
export const contestants: readonly AllocationContestant[] = [
  {
    name: "hand",
    about: "one buffer, used again: the limit",
    isZeroed: false,
    create(size) {
      const buffer = new Uint8Array(size);
      return () => buffer;
    },
  },
  {
    name: "uint8array",
    about: "new Uint8Array, zeroed",
    isZeroed: true,
    create: () => (size) => new Uint8Array(size),
  },
  {
    name: "alloc",
    about: "Buffer.alloc, zeroed",
    isZeroed: true,
    create: () => (size) => Buffer.alloc(size),
  },
  {
    name: "alloc_unsafe",
    about: "Buffer.allocUnsafe, not zeroed; small ones are cut from a pool",
    isZeroed: false,
    create: () => (size) => Buffer.allocUnsafe(size),
  },
  {
    name: "alloc_unsafe_slow",
    about: "Buffer.allocUnsafeSlow, not zeroed, no pool",
    isZeroed: false,
    create: () => (size) => Buffer.allocUnsafeSlow(size),
  },
];
