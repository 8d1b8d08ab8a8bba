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
import type { Faults, Planted } from "./_test_planted.ts";

type Controller = TransformStreamDefaultController<unknown>;

type PlantedStage = Planted<
  (context: { readonly signal: AbortSignal }) => CheckedStage,
  CheckStageOptions
>;

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

/** Stages with a fault, each by the law that it breaks. */
export const faultyStages: Faults<PlantedStage> = {
  output: {
    "drops the last chunk": [() => {
      const kept: unknown[] = [];
      return {
        transform(chunk, controller) {
          kept.push(chunk);
          if (kept.length > 1) controller.enqueue(kept.shift());
        },
      };
    }, noReuse],
    "drops the first chunk": [() => {
      let n = 0;
      return { transform: (chunk, controller) => void (n++ > 0 && controller.enqueue(chunk)) };
    }, noReuse],
    "gives each chunk twice": () => ({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        controller.enqueue(chunk);
      },
    }),
    "forgets chunks that are 3": () => ({
      transform: (chunk, controller) => void (chunk !== 3 && pass(chunk, controller)),
    }),
    "flushes twice": [() => ({
      transform: pass,
      flush(controller) {
        controller.enqueue("end");
        controller.enqueue("end");
      },
    }), tail],
    "forgets to flush": [() => ({ transform: pass }), tail],
    "gives undefined at the end": () => ({
      transform: pass,
      flush: (controller) => controller.enqueue(undefined),
    }),
    "terminates after three chunks": [() => {
      let n = 0;
      return {
        transform(chunk, controller) {
          controller.enqueue(chunk);
          if (++n === 3) controller.terminate();
        },
      };
    }, noReuse],
  },
  ends: {
    "hangs in flush": () => ({ transform: pass, flush: () => new Promise(() => {}) }),
    "hangs at a chunk": () => ({
      transform: (chunk, controller) =>
        chunk === 2 ? new Promise<void>(() => {}) : pass(chunk, controller),
    }),
    "fails in flush without a chunk": [() => {
      let last: { value: unknown } | undefined;
      return {
        transform(chunk, controller) {
          last = { value: chunk };
          controller.enqueue(chunk);
        },
        flush: () => void last!.value,
      };
    }, noReuse],
    "never closes its readable side": () => pair({ close: () => {} }),
    "does not wait for its promises": () => ({
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
  abort: {
    "ends early, and leaves its source open": [() => {
      let n = 0;
      return pair({
        write(chunk, controller) {
          controller.enqueue(chunk);
          if (++n === 2) controller.close();
        },
      });
    }, {}],
  },
  fresh: {
    "has one state for all stages": [() => ({
      start: () => void (sharedCount = 0),
      transform: (chunk, controller) => controller.enqueue([chunk, sharedCount++ > 99]),
      flush: (controller) => controller.enqueue(sharedList.push(1)),
    }), { skip: { reuse: "it has state of its own" } }],
  },
  reuse: {
    "keeps its state from one run to the next": [() => {
      let n = 0;
      return { transform: (_, controller) => controller.enqueue(n++) };
    }, { expected: (chunks) => chunks.map((_, n) => n) }],
  },
  laziness: {
    "reads all before it gives anything, and has a queue without an end": () =>
      pair({ isGreedy: true }),
    "reads ahead by five chunks": () => pair({ writableMark: 5 }),
  },
  boundedReading: {
    "reads ahead once it has begun": () => (source: ReadableStream) => {
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
  cancel: {
    "forgets to tell its source of a cancel": () => pair({ cancel: () => {} }),
    "cancels with a reason of its own": () =>
      pair({ cancel: (controller) => controller.error(new Error("cancelled")) }),
    "hangs in cancel": () => ({ transform: pass, cancel: () => new Promise(() => {}) }),
    "fails in cancel": () => ({
      transform: pass,
      cancel: () => Promise.reject(new Error("in cancel")),
    }),
  },
  sourceError: {
    "forgets a failure of its source": () => pair({ abort: () => {} }),
    "swallows undefined errors of its source": () =>
      pair({
        abort: (controller, reason) => reason ? controller.error(reason) : controller.close(),
      }),
    "wraps errors of its source": () =>
      async function* (source: AsyncIterable<unknown>) {
        try {
          yield* source;
        } catch (cause) {
          throw new Error("wrapped", { cause });
        }
      },
  },
  stageError: {
    "swallows undefined errors of its own function": [
      () => ({ transform: pass }),
      failing((reason) => ({
        transform() {
          if (reason) throw reason;
        },
      })),
    ],
    "wraps errors of its own function": [
      () => ({ transform: pass }),
      failing((reason) => ({
        transform: () => Promise.reject(new Error(String(reason))),
      })),
    ],
  },
  leaks: {
    "leaves a timer": [() => {
      let timer: ReturnType<typeof setInterval>;
      return {
        start: () => void (timer = setInterval(() => {}, 1_000)),
        transform: pass,
        flush: () => clearInterval(timer),
      };
    }, noReuse],
    "leaves a listener": ({ signal }) => ({
      start: () => signal.addEventListener("abort", () => {}),
      transform: pass,
    }),
    "holds the lock": () => (source: ReadableStream) => {
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
  idleAfterEnd: {
    "goes on after the end": [() => ({
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
    }), noReuse],
  },
};

const text: CheckStageOptions = { chunks: ["a\nb", "c\n", "\n", "d", "e\n", "f"] };
const numbers = (fn: (chunks: readonly number[]) => unknown[]): CheckStageOptions => ({
  expected: (chunks) => fn(chunks as readonly number[]),
});

/** Stages that break no law. */
export const rightStages: Readonly<Record<string, PlantedStage>> = {
  "map": [() => map((n: number) => n * 2), {
    ...numbers((chunks) => chunks.map((n) => n * 2)),
    makeFailing: (reason) =>
      map(() => {
        throw reason;
      }),
  }],
  "filter": [
    () => filter((n: number) => n % 2 === 1),
    numbers((chunks) => chunks.filter((n) => n % 2 === 1)),
  ],
  "tap": [() => tap(() => {}), same],
  "scan": () => scan((sum: number, n: number) => sum + n, 0),
  "batch": () => batch(2),
  "pairwise": () => pairwise(),
  "drop": [() => drop(2), numbers((chunks) => chunks.slice(2))],
  "flatMap": [
    () => flatMap((n: number) => [n, n]),
    numbers((chunks) => chunks.flatMap((n) => [n, n])),
  ],
  "lines": [() => lines(), text],
  "encode": [() => encode(), text],
  "parallel": [() => parallel((n: number) => Promise.resolve(n), { concurrency: 2 }), {
    ...same,
    readAhead: 2,
  }],
  "take, which ends early": [() => take(100), same],
  "a TransformStream": [() => new TransformStream(), same],
  "an empty dictionary": [() => ({}), same],
  "an async dictionary": [() => ({
    async transform(chunk, controller) {
      await undefined;
      controller.enqueue(chunk);
    },
  }), same],
  "a dictionary with a timer that it clears": [() => {
    let timer: ReturnType<typeof setInterval>;
    const end = () => clearInterval(timer);
    return {
      start: () => void (timer = setInterval(() => {}, 1_000)),
      transform: pass,
      flush: end,
      cancel: end,
    };
  }, same],
  "an async generator": [() =>
    async function* (source: AsyncIterable<unknown>) {
      for await (const chunk of source) yield chunk;
    }, same],
  "a pair by hand": [() => pair({}), same],
  "a function of streams": [
    () => (source: ReadableStream) => source.pipeThrough(new TransformStream()),
    same,
  ],
};
