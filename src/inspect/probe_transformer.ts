import { problemOf } from "../engine/plan_stages.ts";
import {
  type GeneratorFunction,
  type GeneratorHost,
  generatorTransformer,
} from "../kernels/generator.ts";
import { nameOfPart } from "../kernels/name_of_part.ts";
import { type Meaning, meaningOf, setMeaning } from "../kernels/registry.ts";
import { isPairPart } from "../pair.ts";
import type { Transformer } from "../web_types.ts";
import { type Call, StageEvents } from "./stage_events.ts";
import type { Open } from "../kernels/operation.ts";
import { overlay } from "./overlay.ts";
import { probeController } from "./probe_controller.ts";
import {
  type Answer,
  DONE,
  FAILED,
  isOneKernel,
  type Kernel,
  type ManyKernel,
  NONE,
  type OneKernel,
  passKernel,
  runOneByOne,
  type SteppingKernel,
  WAIT,
  WAITS,
} from "../kernels/kernel.ts";
import type { Slice } from "../kernels/slice.ts";
import { watchPromise } from "./watch_promise.ts";
import { type TransformerHost, TransformerKernel } from "../kernels/transformer.ts";
import { Recorder } from "./recorder.ts";
import type { StageRecord } from "./stage_record.ts";

/** The queue that a kernel's chunks go to, once the engine has started its stage. */
interface KernelOutput {
  readonly controller: { readonly desiredSize: number | null } | undefined;
}

/** Says what goes into a kernel and what comes out. */
class KernelView {
  readonly events: StageEvents;
  readonly #output: KernelOutput;
  /** What was given since the engine has last taken it away. */
  #givenCount = 0;

  constructor(events: StageEvents, output: KernelOutput) {
    this.events = events;
    this.#output = output;
  }

  begin(chunk: unknown): Call {
    const { events } = this;
    if (events.record.isPaused) events.drain();
    return events.beginCall("transform", chunk);
  }

  fail(call: Call | undefined, reason: unknown): void {
    if (call !== undefined) this.events.endCall(call, false);
    this.events.fail("error", reason);
  }

  /** To be called before what gives chunks that the engine takes together. */
  beginSlice(): void {
    this.#givenCount = 0;
  }

  give(chunk: unknown): void {
    this.offer(chunk, () => true);
  }

  /** Says that it gives a chunk, unless nothing takes it. */
  offer(chunk: unknown, pass: () => boolean): boolean {
    const { events } = this;
    const index = events.beforeEnqueue(chunk);
    if (!pass()) {
      events.refuse();
      return false;
    }
    const desiredSize = this.#output.controller?.desiredSize ?? null;
    const room = desiredSize === null ? null : desiredSize - ++this.#givenCount;
    events.afterEnqueue(index, chunk, room);
    return true;
  }
}

/** Looks at a kernel of one to one. */
function probeOne(kernel: OneKernel, view: KernelView): OneKernel {
  const { events } = view;
  let waiting: Call | undefined;
  const give = (held: unknown): unknown => {
    if (held !== NONE) view.give(held);
    return held;
  };
  const step = (chunk: unknown): unknown => {
    const call = view.begin(chunk);
    let result: unknown;
    try {
      result = kernel.one(chunk);
    } catch (reason) {
      view.fail(call, reason);
      throw reason;
    }
    if (result === WAIT) waiting = call;
    else {
      give(result);
      events.endCall(call, true);
    }
    return result;
  };
  return overlay(kernel, {
    one(chunk) {
      view.beginSlice();
      return step(chunk);
    },
    run(slice) {
      view.beginSlice();
      return runOneByOne({ one: step }, slice);
    },
    takePromise: () => events.await(kernel.takePromise() as PromiseLike<unknown>, waiting!),
    settle(value, chunk) {
      view.beginSlice();
      try {
        return give(kernel.settle(value, chunk));
      } catch (reason) {
        view.fail(undefined, reason);
        throw reason;
      }
    },
    flush() {
      view.beginSlice();
      return give(kernel.flush?.() ?? NONE);
    },
    flushNow() {
      view.beginSlice();
      return give(kernel.flushNow?.() ?? NONE);
    },
    stop(reason) {
      events.fail("cancel", reason);
      kernel.stop(reason);
    },
  });
}

/** Looks at a kernel of many, which is given one chunk at a time. */
function lookAtMany(kernel: ManyKernel, view: KernelView) {
  const { events } = view;
  /** The chunk that it has not done with. */
  let open: Call | undefined;
  const close = (): Call | undefined => {
    const call = open;
    open = undefined;
    return call;
  };
  const end = (isDone: boolean): void => {
    const call = close();
    if (call !== undefined) events.endCall(call, isDone);
  };
  const begin = (chunk: unknown): Call => {
    // It was given another before it was heard that it asks.
    end(true);
    return open = view.begin(chunk);
  };
  /** It may ask for another chunk, or have ended. */
  const endIfDone = (): void => {
    if (!kernel.hasMore) end(true);
  };
  const fail = (reason: unknown): void => view.fail(close(), reason);
  /** What comes out of a step, and how it goes on. */
  const look = (slice: Slice, step: "run" | "more"): Answer => {
    const before = slice.outCount;
    const answer = kernel[step](slice);
    for (let i = before; i < slice.outCount; i++) view.give(slice.out[i]);
    if (answer === DONE) end(true);
    else if (answer === FAILED) fail(slice.reason);
    else if (open !== undefined && !open.isLong) events.prolong(open);
    if (answer === WAITS) {
      slice.promise = watchPromise(slice.promise as PromiseLike<unknown>, () => {}, fail);
    }
    return answer;
  };
  const looks: Partial<ManyKernel> = {
    run(slice) {
      const { items, count } = slice;
      let taken = 0;
      let answer: Answer = DONE;
      view.beginSlice();
      while (taken < count && answer === DONE && slice.outCount < slice.limit) {
        const chunk = items[taken];
        items[taken++] = undefined;
        begin(chunk);
        slice.items = [chunk];
        slice.count = 1;
        answer = look(slice, "run");
        slice.items = items;
        slice.count = count;
      }
      slice.taken = taken;
      return answer;
    },
    more(slice) {
      view.beginSlice();
      return look(slice, "more");
    },
    settle(value, give) {
      view.beginSlice();
      try {
        kernel.settle(value, (chunk) => {
          view.give(chunk);
          give(chunk);
        });
      } catch (reason) {
        fail(reason);
        throw reason;
      }
      endIfDone();
    },
    drop() {
      end(false);
      return kernel.drop();
    },
    stop(reason) {
      end(false);
      events.fail("cancel", reason);
      return kernel.stop(reason);
    },
  };
  return { looks, begin, endIfDone, fail };
}

/** Looks at what a generator does, and at what it says to its host. */
function probeGenerator(
  makeKernel: MakeKernel,
  host: Required<GeneratorHost>,
  view: KernelView,
): Kernel {
  const kernel = makeKernel(overlay<GeneratorHost>(host, {
    passOn(result) {
      view.beginSlice();
      return view.offer(result.value, () => host.passOn(result));
    },
    endStep() {
      endIfDone();
      host.endStep();
    },
    failStep(reason) {
      fail(reason);
      host.failStep(reason);
    },
  }) as unknown as TransformerHost) as SteppingKernel;
  const { looks, begin, endIfDone, fail } = lookAtMany(kernel, view);
  return overlay<SteppingKernel>(kernel, {
    ...looks,
    takeResult(result) {
      if (!kernel.takeResult(result)) return false;
      view.events.prolong(begin(result.value));
      return true;
    },
    takeGiven() {
      const given = kernel.takeGiven();
      if (given !== NONE) {
        view.beginSlice();
        view.give(given);
      }
      return given;
    },
    end() {
      // It asks for a chunk, or has ended: the last one is done.
      endIfDone();
      return kernel.end!();
    },
    resume() {
      const isResumed = kernel.resume();
      if (!isResumed) endIfDone();
      return isResumed;
    },
  });
}

/** Looks at what a kernel does. */
function probeKernel(kernel: Kernel, view: KernelView): Kernel {
  return isOneKernel(kernel)
    ? probeOne(kernel, view)
    : overlay(kernel, lookAtMany(kernel, view).looks);
}

type Controller = TransformStreamDefaultController<unknown>;
type MakeKernel = NonNullable<Meaning["makeKernel"]>;
type Method = (...args: unknown[]) => unknown;

function passOn(chunk: unknown, controller: Controller): void {
  controller.enqueue(chunk);
}

/**
 * Looks at a transformer's methods, each read when it is asked for, as a stream does. `isNative` is for a stream of the
 * standard, where `cancel` alone is called for a cancel; the engine has other ways, and waits for a stage that has one.
 */
function probeDictionary(
  transformer: object,
  events: StageEvents,
  isNative: boolean,
): object {
  const { record } = events;
  const output: { controller: Controller | undefined } = { controller: undefined };
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
      return events.call("transform", transform, undefined, [chunk, output.controller]);
    };
    const meaning = own && meaningOf(own);
    operationOf = meaning?.operationOf;
    if (isNative) return probed;
    const makeKernel = meaning?.makeKernel;
    const view = () => new KernelView(events, output);
    setMeaning(probed, {
      makeKernel(host) {
        if (makeKernel !== undefined) return probeKernel(makeKernel(host), view());
        if (own === undefined) return probeKernel(passKernel, view());
        const kernel = new TransformerKernel(host!);
        kernel.begin(undefined, probed);
        // The chunks are looked at by `probed` itself.
        return overlay<TransformerKernel>(kernel, {
          stop(reason) {
            events.fail("cancel", reason);
            kernel.stop(reason);
          },
        });
      },
      operationOf: operationOf && (() => operationOf!(output.controller as unknown as Controller)),
    });
    return probed;
  };

  return overlay<Record<string, unknown>>(transformer as Record<string, unknown>, {
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
        output.controller = probeController(real, events, "terminate");
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
  });
}

/** A call of a part, and what it is to the whole: the first part's call is the whole's. */
interface PartCall extends Call {
  outer?: Call;
}

/** Says what happens in one stage of a composition, and of it what is the composition's own. */
class PartEvents extends StageEvents {
  readonly #whole: StageEvents;
  readonly #isFirst: boolean;
  readonly #isLast: boolean;

  constructor(recorder: Recorder, record: StageRecord, whole: StageEvents, isLast: boolean) {
    super(recorder, record);
    this.#whole = whole;
    this.#isFirst = record.number === 0;
    this.#isLast = isLast;
  }

  override open(controller: { readonly desiredSize: number | null }): void {
    if (this.#isFirst) this.#whole.claim();
    super.open(controller);
    if (this.#isLast) this.#whole.record.gauge.open(controller);
  }

  override beginCall(name: "transform", chunk: unknown): Call {
    const call = super.beginCall(name, chunk) as PartCall;
    if (this.#isFirst) call.outer = this.#whole.beginCall(name, chunk);
    return call;
  }

  override prolong(call: PartCall): void {
    super.prolong(call);
    if (call.outer !== undefined) this.#whole.prolong(call.outer);
  }

  override endCall(call: PartCall, isDone: boolean): void {
    super.endCall(call, isDone);
    if (call.outer !== undefined) this.#whole.endCall(call.outer, isDone);
  }

  override beforeEnqueue(chunk: unknown): number {
    super.beforeEnqueue(chunk);
    return this.#isLast ? this.#whole.beforeEnqueue(chunk) : -1;
  }

  override refuse(): void {
    super.refuse();
    if (this.#isLast) this.#whole.refuse();
  }

  override afterEnqueue(
    index: number,
    chunk: unknown,
    room: number | null,
    wantsMore: boolean = room !== null && room > 0,
  ): void {
    if (this.#isLast) this.#whole.afterEnqueue(index, chunk, room, wantsMore);
    this.record.isPaused = !wantsMore;
  }

  override drain(): void {
    this.record.isPaused = false;
    if (this.#isFirst) this.#whole.drain();
  }

  override end(event: "end" | "final"): void {
    super.end(event);
    if (this.#isLast) this.#whole.end(event);
  }

  override fail(event: "error" | "cancel", reason: unknown): void {
    super.fail(event, reason);
    this.#whole.fail(event, reason);
  }
}

/** The events of each of so many parts of a stage: where there is one, the stage's own. */
function eventsOfParts(whole: StageEvents, count: number): readonly StageEvents[] {
  if (count === 1) return [whole];
  const { recorder, record } = whole;
  const { name, clock } = recorder;
  const inner = new Recorder({ name, capacity: 0, now: () => clock.glance() });
  const parts = Array.from({ length: count }, () => inner.stageList.add("transformer", undefined));
  record.parts = parts;
  // A composition of none is not there at all, unless a native stream is made of it.
  if (count === 0) recorder.stageList.leaveOut(record);
  return parts.map((part, index) => new PartEvents(inner, part, whole, index === count - 1));
}

/** The part of an operator of ours that has a kernel: that kernel, looked at. */
function probeKernelPart(
  makeKernel: MakeKernel,
  events: StageEvents,
  named: Pick<Meaning, "name" | "fn" | "isGenerator">,
): object {
  const output: { -readonly [Key in keyof KernelOutput]: KernelOutput[Key] } = {
    controller: undefined,
  };
  const transform = (): void => {};
  setMeaning(transform, {
    ...named,
    makeKernel(host) {
      const view = new KernelView(events, output);
      return named.isGenerator
        ? probeGenerator(makeKernel, host as unknown as Required<GeneratorHost>, view)
        : probeKernel(makeKernel(host), view);
    },
  });
  return {
    start(controller: Controller): void {
      events.open(controller);
      output.controller = controller;
    },
    transform,
    flush: (): void => events.end("final"),
  };
}

/** Looks at what an operator of ours does in one stream. */
function probeOpen(open: Open<unknown, unknown>, events: StageEvents): Open<unknown, unknown> {
  return (real, context) => {
    events.open(real);
    const controller = probeController(real, events, "terminate");
    const operation = events.work(() => open(controller, context)) as ReturnType<typeof open>;
    events.openOperation(operation);
    const { transform } = operation as { transform: (...args: unknown[]) => unknown };
    return overlay(operation, {
      transform(chunk) {
        if (events.record.isPaused) events.drain();
        return events.call("transform", transform, operation, [chunk]) as void;
      },
      flush: () => events.work(() => operation.flush?.(), () => events.end("final")) as void,
      cancel(reason) {
        events.fail("cancel", reason);
        return operation.cancel?.(reason);
      },
    });
  };
}

/** What the engine runs in place of a stage that is no composition: the same, looked at. */
function probePart(stage: object, events: StageEvents): object {
  const { makeKernel, open, name, fn, isGenerator } = meaningOf(stage) ?? {};
  if (makeKernel !== undefined) {
    return probeKernelPart(makeKernel, events, { name, fn, isGenerator });
  }
  if (open === undefined) return probeDictionary(stage, events, false);
  const part = {};
  setMeaning(part, { open: probeOpen(open, events), name, fn });
  return part;
}

/**
 * Wraps the dictionary that `new TransformStream()` takes. To the engine it stands for what the dictionary stands for,
 * each part looked at: so each is run as it would be.
 */
export function probeTransformer(
  transformer: object,
  events: StageEvents,
): Transformer<unknown, unknown> {
  if (typeof transformer === "function") {
    const named = { name: nameOfPart(transformer), fn: undefined };
    const stage = generatorTransformer(transformer as GeneratorFunction, named);
    return probeTransformer(stage, events);
  }
  const { stages = [transformer] } = meaningOf(transformer) ?? {};
  const ofParts = eventsOfParts(events, stages.length);
  const probed = probeDictionary(transformer, events, true);
  setMeaning(probed, {
    stages: stages.map((stage, index) => probePart(stage as object, ofParts[index]!)),
  });
  return Object.freeze(probed) as Transformer<unknown, unknown>;
}

/** Throws if `stage` is no transformer. */
export function checkTransformer(stage: unknown): void {
  const problem = problemOf(stage);
  if (problem !== undefined) {
    throw new TypeError(`Cannot probe transformer: the stage is ${problem}`);
  }
  const { stages = [] } = typeof stage === "object" ? meaningOf(stage!) ?? {} : {};
  if (stages.some(isPairPart)) {
    throw new TypeError(
      "Cannot probe transformer: the stage has a pair of streams; probe the stages around it",
    );
  }
}
