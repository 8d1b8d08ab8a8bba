import { FilterKernel } from "../kernels/filter.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import { kernelTransformer } from "../kernels/kernel_transformer.ts";
import type { Meaning } from "../kernels/registry.ts";
import type { Transformer } from "../web_types.ts";

/** A filter that remembers. */
class KeepKernel extends FilterKernel {
  readonly remembers = true;
}

/** A `filter` called `name` whose function is made for each stream, with its state in its own closure. */
export function keepIf<T>(
  name: string,
  fn: Meaning["fn"],
  makeFn: () => StageFunction,
): Transformer<T, T> {
  return kernelTransformer(() => new KeepKernel(makeFn()), name, fn);
}
