import { isOneKernel, type Kernel } from "../kernels/kernel.ts";
import { MapKernel } from "../kernels/map.ts";
import { type KernelOutput, KernelView } from "./kernel_view.ts";
import { ProbedManyKernel } from "./probed_many_kernel.ts";
import { ProbedMapKernel } from "./probed_map_kernel.ts";
import { ProbedOneKernel } from "./probed_one_kernel.ts";
import type { StageEvents } from "./stage_events.ts";

/** Looks at what a kernel does. */
export function probeKernel(kernel: Kernel, events: StageEvents, output: KernelOutput): Kernel {
  const view = new KernelView(events, output);
  if (kernel instanceof MapKernel) return new ProbedMapKernel(kernel, view);
  return isOneKernel(kernel)
    ? new ProbedOneKernel(kernel, view)
    : new ProbedManyKernel(kernel, view);
}
