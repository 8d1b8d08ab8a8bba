import {
  batch,
  drop,
  encode,
  filter,
  flatMap,
  lines,
  map,
  pairwise,
  parallel,
  scan,
  take,
  tap,
} from "@hosepipe/streams";
import type { CheckedStage, CheckStageOptions } from "@hosepipe/streams/testing";

type Controller = TransformStreamDefaultController<unknown>;

/** A stage, and the law that it breaks, if it breaks one. */
export interface PlantedStage {
  readonly name: string;
  readonly law?: string;
  readonly make: (context: { readonly signal: AbortSignal }) => CheckedStage;
  readonly options?: CheckStageOptions;
}

const same: CheckStageOptions = { expected: (chunks) => chunks };
const noReuse: CheckStageOptions = { ...same, skip: { reuse: "it has state of its own" } };
const pass = (chunk: unknown, controller: Controller) => controller.enqueue(chunk);
const tail: CheckStageOptions = { expected: (chunks) => [...chunks, "end"] };
const failing = (makeFailing: CheckStageOptions["makeFailing"]): CheckStageOptions => ({
  ...same,
  makeFailing,
});

/** A pair whose ends do what they should, but for what is given. */
function pair(
  faults: {
    readonly write?: (chunk: unknown, controller: ReadableStreamDefaultController) => unknown;
    readonly close?: (controller: ReadableStreamDefaultController) => unknown;
    readonly abort?: (controller: ReadableStreamDefaultController, reason: unknown) => unknown;
    readonly cancel?: (controller: WritableStreamDefaultController, reason: unknown) => unknown;
    readonly writableMark?: number;
    readonly isGreedy?: boolean;
  },
): CheckedStage {
  let output!: ReadableStreamDefaultController;
  let input!: WritableStreamDefaultController;
  let demand = Promise.withResolvers<void>();
  const readable = new ReadableStream({
    start: (controller) => void (output = controller),
    pull: () => demand.resolve(),
    cancel(reason) {
      demand.resolve();
      return (faults.cancel ?? ((controller) => controller.error(reason)))(input, reason) as void;
    },
  }, { highWaterMark: 0 });
  const writable = new WritableStream({
    start: (controller) => void (input = controller),
    async write(chunk) {
      if (!faults.isGreedy) {
        await demand.promise;
        demand = Promise.withResolvers();
      }
      await (faults.write ?? ((chunk, controller) => controller.enqueue(chunk)))(chunk, output);
    },
    close: () => (faults.close ?? ((controller) => controller.close()))(output) as void,
    abort(reason) {
      demand.resolve();
      return (faults.abort ?? ((controller) => controller.error(reason)))(output, reason) as void;
    },
  }, { highWaterMark: faults.writableMark ?? 1 });
  return { readable, writable };
}

const sharedList: unknown[] = [];
let sharedCount = 0;

/** A fault that is found in a process of its own. */
export const unhandledStage: PlantedStage = {
  name: "leaves a rejection unhandled",
  law: "unhandled",
  options: same,
  make: () => ({
    transform: pass,
    flush: () => void Promise.reject(new Error("nowhere")),
  }),
};

/** The other faults, each with the law that it breaks. */
export const faultyStages: readonly PlantedStage[] = [
  {
    name: "drops the last chunk",
    law: "output",
    options: noReuse,
    make() {
      const kept: unknown[] = [];
      return {
        transform(chunk, controller) {
          kept.push(chunk);
          if (kept.length > 1) controller.enqueue(kept.shift());
        },
      };
    },
  },
  {
    name: "drops the first chunk",
    law: "output",
    options: noReuse,
    make() {
      let n = 0;
      return { transform: (chunk, controller) => void (n++ > 0 && controller.enqueue(chunk)) };
    },
  },
  {
    name: "gives each chunk twice",
    law: "output",
    options: same,
    make: () => ({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        controller.enqueue(chunk);
      },
    }),
  },
  {
    name: "forgets chunks that are 3",
    law: "output",
    options: same,
    make: () => ({
      transform: (chunk, controller) => void (chunk !== 3 && pass(chunk, controller)),
    }),
  },
  {
    name: "flushes twice",
    law: "output",
    options: tail,
    make: () => ({
      transform: pass,
      flush(controller) {
        controller.enqueue("end");
        controller.enqueue("end");
      },
    }),
  },
  { name: "forgets to flush", law: "output", options: tail, make: () => ({ transform: pass }) },
  {
    name: "gives undefined at the end",
    law: "output",
    options: same,
    make: () => ({ transform: pass, flush: (controller) => controller.enqueue(undefined) }),
  },
  {
    name: "hangs in flush",
    law: "ends",
    options: same,
    make: () => ({ transform: pass, flush: () => new Promise(() => {}) }),
  },
  {
    name: "hangs at a chunk",
    law: "ends",
    options: same,
    make: () => ({
      transform: (chunk, controller) =>
        chunk === 2 ? new Promise<void>(() => {}) : pass(chunk, controller),
    }),
  },
  {
    name: "fails in flush without a chunk",
    law: "ends",
    options: noReuse,
    make() {
      let last: { value: unknown } | undefined;
      return {
        transform(chunk, controller) {
          last = { value: chunk };
          controller.enqueue(chunk);
        },
        flush: () => void last!.value,
      };
    },
  },
  {
    name: "never closes its readable side",
    law: "ends",
    options: same,
    make: () => pair({ close: () => {} }),
  },
  {
    name: "does not wait for its promises",
    law: "ends",
    options: same,
    make: () => ({
      transform(chunk, controller) {
        Promise.resolve().then(() => new Promise((resolve) => setTimeout(resolve, 5))).then(() =>
          controller.enqueue(chunk)
        ).catch(() => {});
      },
      flush(controller) {
        controller.error(new Error("too early"));
      },
    }),
  },
  {
    name: "terminates after three chunks",
    law: "output",
    options: noReuse,
    make() {
      let n = 0;
      return {
        transform(chunk, controller) {
          controller.enqueue(chunk);
          if (++n === 3) controller.terminate();
        },
      };
    },
  },
  {
    name: "ends early, and leaves its source open",
    law: "abort",
    make() {
      let n = 0;
      return pair({
        write(chunk, controller) {
          controller.enqueue(chunk);
          if (++n === 2) controller.close();
        },
      });
    },
  },
  {
    name: "has one state for all stages",
    law: "fresh",
    options: { skip: { reuse: "it has state of its own" } },
    make: () => ({
      start: () => void (sharedCount = 0),
      transform: (chunk, controller) => controller.enqueue([chunk, sharedCount++ > 99]),
      flush: (controller) => controller.enqueue(sharedList.push(1)),
    }),
  },
  {
    name: "keeps its state from one run to the next",
    law: "reuse",
    options: { expected: (chunks) => chunks.map((_, n) => n) },
    make() {
      let n = 0;
      return { transform: (_, controller) => controller.enqueue(n++) };
    },
  },
  {
    name: "reads all before it gives anything, and has a queue without an end",
    law: "laziness",
    options: same,
    make: () => pair({ isGreedy: true }),
  },
  {
    name: "reads ahead by five chunks",
    law: "laziness",
    options: same,
    make: () => pair({ writableMark: 5 }),
  },
  {
    name: "reads ahead once it has begun",
    law: "boundedReading",
    options: same,
    make: () => (source: ReadableStream) => {
      const reader = source.getReader();
      let hasBegun = false;
      const end = new AbortController();
      return new ReadableStream({
        async pull(controller) {
          for (let n = hasBegun ? 4 : 1; n-- > 0;) {
            const { done, value } = await reader.read();
            if (done) {
              reader.releaseLock();
              end.abort();
              return controller.close();
            }
            controller.enqueue(value);
          }
          hasBegun = true;
        },
        cancel: (reason) => reader.cancel(reason).finally(() => reader.releaseLock()),
      }, { highWaterMark: 0 });
    },
  },
  {
    name: "forgets to tell its source of a cancel",
    law: "cancel",
    options: same,
    make: () => pair({ cancel: () => {} }),
  },
  {
    name: "cancels with a reason of its own",
    law: "cancel",
    options: same,
    make: () => pair({ cancel: (controller) => controller.error(new Error("cancelled")) }),
  },
  {
    name: "hangs in cancel",
    law: "cancel",
    options: same,
    make: () => ({ transform: pass, cancel: () => new Promise(() => {}) }),
  },
  {
    name: "fails in cancel",
    law: "cancel",
    options: same,
    make: () => ({ transform: pass, cancel: () => Promise.reject(new Error("in cancel")) }),
  },
  {
    name: "forgets a failure of its source",
    law: "sourceError",
    options: same,
    make: () => pair({ abort: () => {} }),
  },
  {
    name: "swallows undefined errors of its source",
    law: "sourceError",
    options: same,
    make: () =>
      pair({
        abort: (controller, reason) => reason ? controller.error(reason) : controller.close(),
      }),
  },
  {
    name: "wraps errors of its source",
    law: "sourceError",
    options: same,
    make: () =>
      async function* (source: AsyncIterable<unknown>) {
        try {
          yield* source;
        } catch (cause) {
          throw new Error("wrapped", { cause });
        }
      },
  },
  {
    name: "swallows undefined errors of its own function",
    law: "stageError",
    make: () => ({ transform: pass }),
    options: failing((reason) => ({
      transform() {
        if (reason) throw reason;
      },
    })),
  },
  {
    name: "wraps errors of its own function",
    law: "stageError",
    make: () => ({ transform: pass }),
    options: failing((reason) => ({
      transform: () => Promise.reject(new Error(String(reason))),
    })),
  },
  {
    name: "leaves a timer",
    law: "leaks",
    options: noReuse,
    make() {
      let timer: ReturnType<typeof setInterval>;
      return {
        start: () => void (timer = setInterval(() => {}, 1_000)),
        transform: pass,
        flush: () => clearInterval(timer),
      };
    },
  },
  {
    name: "leaves a listener",
    law: "leaks",
    options: same,
    make: ({ signal }) => ({
      start: () => signal.addEventListener("abort", () => {}),
      transform: pass,
    }),
  },
  {
    name: "holds the lock",
    law: "leaks",
    options: same,
    make: () => (source: ReadableStream) => {
      const reader = source.getReader();
      return new ReadableStream({
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      }, { highWaterMark: 0 });
    },
  },
  {
    name: "goes on after the end",
    law: "idleAfterEnd",
    options: noReuse,
    make: () => ({
      start(controller) {
        const timer = setInterval(() => {
          try {
            controller.desiredSize;
            controller.error(undefined);
          } catch { /* it is over */ }
          clearInterval(timer);
        }, 5_000);
      },
      transform: pass,
    }),
  },
];

const text: CheckStageOptions = { chunks: ["a\nb", "c\n", "\n", "d", "e\n", "f"] };
const numbers = (fn: (chunks: readonly number[]) => unknown[]): CheckStageOptions => ({
  expected: (chunks) => fn(chunks as readonly number[]),
});

/** Stages that break no law. */
export const rightStages: readonly PlantedStage[] = [
  {
    name: "map",
    make: () => map((n: number) => n * 2),
    options: {
      ...numbers((chunks) => chunks.map((n) => n * 2)),
      makeFailing: (reason) =>
        map(() => {
          throw reason;
        }),
    },
  },
  {
    name: "filter",
    make: () => filter((n: number) => n % 2 === 1),
    options: numbers((chunks) => chunks.filter((n) => n % 2 === 1)),
  },
  { name: "tap", make: () => tap(() => {}), options: same },
  { name: "scan", make: () => scan((sum: number, n: number) => sum + n, 0) },
  { name: "batch", make: () => batch(2) },
  { name: "pairwise", make: () => pairwise() },
  { name: "drop", make: () => drop(2), options: numbers((chunks) => chunks.slice(2)) },
  {
    name: "flatMap",
    make: () => flatMap((n: number) => [n, n]),
    options: numbers((chunks) => chunks.flatMap((n) => [n, n])),
  },
  { name: "lines", make: () => lines(), options: text },
  { name: "encode", make: () => encode(), options: text },
  {
    name: "parallel",
    make: () => parallel((n: number) => Promise.resolve(n), { concurrency: 2 }),
    options: { ...same, readAhead: 2 },
  },
  {
    name: "take, which ends early",
    make: () => take(100),
    options: same,
  },
  { name: "a TransformStream", make: () => new TransformStream(), options: same },
  { name: "an empty dictionary", make: () => ({}), options: same },
  {
    name: "an async dictionary",
    make: () => ({
      async transform(chunk, controller) {
        await undefined;
        controller.enqueue(chunk);
      },
    }),
    options: same,
  },
  {
    name: "a dictionary with a timer that it clears",
    make() {
      let timer: ReturnType<typeof setInterval>;
      const end = () => clearInterval(timer);
      return {
        start: () => void (timer = setInterval(() => {}, 1_000)),
        transform: pass,
        flush: end,
        cancel: end,
      };
    },
    options: same,
  },
  {
    name: "an async generator",
    make: () =>
      async function* (source: AsyncIterable<unknown>) {
        for await (const chunk of source) yield chunk;
      },
    options: same,
  },
  { name: "a pair by hand", make: () => pair({}), options: same },
  {
    name: "a function of streams",
    make: () => (source: ReadableStream) => source.pipeThrough(new TransformStream()),
    options: same,
  },
];
