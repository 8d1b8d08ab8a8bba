import { builtinModule } from "../builtin_module.ts";

interface Heap {
  getHeapStatistics(): { readonly heap_size_limit: number };
}

const mostBytes = 64 * 2 ** 20;

let knownLimit: number | undefined;

/** How large the runtime's heap may become, where it tells; asked once, since Bun looks at the whole heap for it. */
function heapLimit(): number {
  return knownLimit ??= builtinModule<Heap>("node:v8")?.getHeapStatistics().heap_size_limit ?? 0;
}

/** A quarter of the heap's limit, where that is known, and at most 64 MiB. */
export function defaultBytes(limit: number = heapLimit()): number {
  const share = Math.floor(limit / 4);
  return share >= 1 ? Math.min(share, mostBytes) : mostBytes;
}
