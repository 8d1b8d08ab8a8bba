import { MapKernel, mustWait } from "../kernels/map.ts";
import type { KernelView } from "./kernel_view.ts";

/** The kernel of a map that is looked at: a map, which may be run together with others. */
export class ProbedMapKernel extends MapKernel {
  readonly #view: KernelView;

  constructor({ fn }: MapKernel, view: KernelView) {
    const { events } = view;
    super((chunk, index, context) => {
      view.beginSlice();
      const call = view.begin(chunk);
      let result: unknown;
      try {
        result = fn(chunk, index, context);
      } catch (reason) {
        view.fail(call, reason);
        throw reason;
      }
      if (mustWait(result, chunk)) return events.await(result as PromiseLike<unknown>, call);
      view.give(result);
      events.endCall(call, true);
      return result;
    });
    this.#view = view;
  }

  override settle(value: unknown): unknown {
    this.#view.beginSlice();
    this.#view.give(value);
    return value;
  }

  override stop(reason: unknown): void {
    this.#view.events.fail("cancel", reason);
    super.stop(reason);
  }
}
