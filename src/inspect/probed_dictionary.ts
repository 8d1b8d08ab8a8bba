import { passKernel } from "../kernels/kernel.ts";
import { type Meaning, meaningOf, setMeaning } from "../kernels/registry.ts";
import { type TransformerHost, TransformerKernel } from "../kernels/transformer.ts";
import { codeOf } from "./event_codes.ts";
import { ProbedTransformController } from "./probed_controller.ts";
import { probeKernel } from "./probe_kernel.ts";
import type { StageEvents } from "./stage_events.ts";

type Controller = TransformStreamDefaultController<unknown>;
type Method = (...args: unknown[]) => unknown;

function passOn(chunk: unknown, controller: Controller): void {
  controller.enqueue(chunk);
}

/** The kernel of a dictionary's own `transform`, which looks at the chunks itself: here the end alone is looked at. */
class ProbedTransformerKernel extends TransformerKernel {
  readonly #events: StageEvents;

  constructor(host: TransformerHost, events: StageEvents) {
    super(host);
    this.#events = events;
  }

  override stop(reason: unknown): void {
    this.#events.fail("cancel", reason);
    super.stop(reason);
  }
}

/**
 * Looks at a transformer's methods, each read when it is asked for, as a stream does. `isNative` is for a stream of the
 * standard, where `cancel` alone is called for a cancel; the engine has other ways, and waits for a stage that has one.
 */
export function probeDictionary(
  transformer: object,
  events: StageEvents,
  isNative: boolean,
): object {
  const { record } = events;
  const output: { controller: ProbedTransformController | undefined } = { controller: undefined };
  let isCancelled = false;
  let operationOf: Meaning["operationOf"];
  const read = (name: string) => (transformer as Record<string, unknown>)[name];
  const wrap = (
    name: string,
    look: (method: Method | undefined, own: object | undefined) => unknown,
  ): unknown => {
    const own = read(name);
    if (own === undefined) return look(undefined, own);
    // What is no method is refused where it is read.
    if (typeof own !== "function") return own;
    return look((...args) => Reflect.apply(own, transformer, args), own);
  };

  const wrapTransform = (transform: Method, own: object | undefined): Method => {
    const probed: Method = (chunk) => {
      // Bun 1.4 goes on with chunks that wait while a `cancel` runs.
      if (isCancelled) return;
      if (record.isPaused) events.drain();
      return events.call(codeOf.transform, transform, undefined, [chunk, output.controller]);
    };
    const meaning = own && meaningOf(own);
    operationOf = meaning?.operationOf;
    if (isNative) return probed;
    const makeKernel = meaning?.makeKernel;
    setMeaning(probed, {
      makeKernel(host) {
        if (makeKernel !== undefined) return probeKernel(makeKernel(host), events, output);
        if (own === undefined) return probeKernel(passKernel, events, output);
        const kernel = new ProbedTransformerKernel(host!, events);
        kernel.begin(undefined, probed);
        return kernel;
      },
      operationOf: operationOf && (() => operationOf!(output.controller as unknown as Controller)),
    });
    return probed;
  };

  const probed = {
    get cancel() {
      return wrap("cancel", (cancel) => {
        if (cancel === undefined && !isNative) return undefined;
        return (reason: unknown) => {
          isCancelled = cancel === undefined;
          events.fail("cancel", reason);
          return cancel?.(reason);
        };
      });
    },
    get flush() {
      return wrap(
        "flush",
        (flush) => () => events.work(() => flush?.(output.controller), () => events.end("final")),
      );
    },
    get start() {
      return wrap("start", (start) => (real: Controller) => {
        events.open(real);
        output.controller = new ProbedTransformController(real, events);
        const started = events.work(() => start?.(output.controller));
        if (start !== undefined) events.openOperation(operationOf?.(output.controller));
        return started;
      });
    },
    get transform() {
      return wrap(
        "transform",
        (transform, own) => wrapTransform(transform ?? passOn as Method, own),
      );
    },
  };
  // WebKit refuses a dictionary that has one of them, even without a value.
  for (const name of ["readableType", "writableType"].filter((name) => name in transformer)) {
    Object.defineProperty(probed, name, { get: () => read(name), enumerable: true });
  }
  return probed;
}
