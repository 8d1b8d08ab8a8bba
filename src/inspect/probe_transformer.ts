import { problemOf } from "../engine/plan_stages.ts";
import { type GeneratorFunction, generatorTransformer } from "../kernels/generator.ts";
import { type Meaning, meaningOf, setMeaning } from "../kernels/registry.ts";
import { isPairPart } from "../pair.ts";
import type { Transformer } from "../web_types.ts";
import { type Call, StageEvents } from "./stage_events.ts";
import type { Open } from "../kernels/operation.ts";
import { codeOf } from "./event_ring.ts";
import { ProbedTransformController } from "./probed_controller.ts";
import { isOneKernel, NONE } from "../kernels/kernel.ts";
import { runManyNatively } from "../kernels/drain_loop.ts";
import { runOneNatively } from "../kernels/one_operation.ts";
import { type TransformerHost, TransformerKernel } from "../kernels/transformer.ts";
import { nowhere, Recorder } from "./recorder.ts";
import type { StageRecord } from "./stage_record.ts";

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
function probeDictionary(
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
    setMeaning(probed, {
      makeKernel(host) {
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

  override beginCall(code: number, chunk: unknown): Call {
    const call = super.beginCall(code, chunk) as PartCall;
    if (this.#isFirst) call.outer = this.#whole.beginCall(code, chunk);
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
    return this.#isLast ? this.#whole.beforeEnqueue(chunk) : nowhere;
  }

  override refuse(): void {
    super.refuse();
    if (this.#isLast) this.#whole.refuse();
  }

  override afterEnqueue(
    index: number,
    chunk: unknown,
    room: number | null,
    wantsMore: boolean,
  ): void {
    if (this.#isLast) this.#whole.afterEnqueue(index, chunk, room, wantsMore);
    this.record.isPaused = !wantsMore;
  }

  override drain(): number {
    this.record.isPaused = false;
    return this.#isFirst ? this.#whole.drain() : nowhere;
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
  const inner = new Recorder({
    name,
    capacity: 0,
    now: () => clock.glance(),
    identify: undefined,
    onEvent: undefined,
    onAnswer: undefined,
  });
  const parts = Array.from({ length: count }, () => inner.addStage("transformer", undefined));
  record.parts = parts;
  // A composition of none is not there at all, unless a native stream is made of it.
  if (count === 0) recorder.stageList.leaveOut(record);
  return parts.map((part, index) => new PartEvents(inner, part, whole, index === count - 1));
}

/** What an operator that has a kernel does in one stream: as natively. */
function openKernel(makeKernel: NonNullable<Meaning["makeKernel"]>): Open<unknown, unknown> {
  return (controller) => {
    const kernel = makeKernel({ controller } as TransformerHost);
    if (!isOneKernel(kernel)) return runManyNatively(kernel, controller);
    const operation = runOneNatively(kernel, controller);
    operation.flushNow = () => {
      const held = kernel.flushNow?.() ?? NONE;
      if (held !== NONE) controller.enqueue(held);
    };
    operation.addCounts = (counts) => kernel.addCounts?.(counts);
    return operation;
  };
}

/** Looks at what an operator of ours does in one stream. */
function probeOpen(open: Open<unknown, unknown>, events: StageEvents): Open<unknown, unknown> {
  return (real, context) => {
    events.open(real);
    const controller = new ProbedTransformController(real, events);
    const operation = events.work(() => open(controller, context)) as ReturnType<typeof open>;
    events.openOperation(operation);
    const { transform } = operation as { transform: (...args: unknown[]) => unknown };
    return {
      transform(chunk) {
        if (events.record.isPaused) events.drain();
        return events.call(codeOf.transform, transform, operation, [chunk]) as void;
      },
      flush: () => events.work(() => operation.flush?.(), () => events.end("final")) as void,
      cancel(reason) {
        events.fail("cancel", reason);
        return operation.cancel?.(reason);
      },
      drain: (reason) => operation.drain?.(reason),
      get failedIndex() {
        return operation.failedIndex;
      },
      get doneCount() {
        return operation.doneCount;
      },
      waiting: () => operation.waiting?.(),
      flushNow: () => operation.flushNow?.(),
      addCounts: (counts) => operation.addCounts?.(counts),
    };
  };
}

/** What the engine runs in place of a stage that is no composition: the same, looked at. */
function probePart(stage: object, events: StageEvents): object {
  const meaning = meaningOf(stage) ?? {};
  const { makeKernel, name, fn } = meaning;
  const open = makeKernel === undefined ? meaning.open : openKernel(makeKernel);
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
    return probeTransformer(generatorTransformer(transformer as GeneratorFunction), events);
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
