import { concat, fuse, map, merge, reader, tee, timeout } from "@hosepipe/streams";
import type {
  CheckedSource,
  CheckSourceOptions,
  MadeFrom,
  WatchedReads,
} from "@hosepipe/streams/testing";
import { fromNode } from "@hosepipe/streams/node";
import { Readable } from "node:stream";

type Controller = ReadableStreamDefaultController<unknown>;

/** A source, and the law that it breaks, if it breaks one. */
export interface PlantedSource {
  readonly name: string;
  readonly law?: string;
  readonly make: (context: MadeFrom<WatchedReads>) => CheckedSource;
  readonly options?: CheckSourceOptions;
}

/** An underlying source that does what it should, but for what is given. */
function over(
  underlying: WatchedReads,
  faults: {
    readonly give?: (chunk: unknown, controller: Controller, n: number) => void;
    readonly end?: (controller: Controller) => void;
    readonly fail?: (reason: unknown, controller: Controller) => void;
    readonly cancel?: (reason?: unknown) => unknown;
  } = {},
) {
  let n = 0;
  return {
    async pull(controller: Controller) {
      let result: IteratorResult<unknown>;
      try {
        result = await underlying.read();
      } catch (reason) {
        (faults.fail ?? ((reason, controller) => controller.error(reason)))(reason, controller);
        return;
      }
      if (result.done) (faults.end ?? ((controller) => controller.close()))(controller);
      else {
        const give = faults.give ?? ((chunk, controller) => controller.enqueue(chunk));
        give(result.value, controller, n++);
      }
    },
    cancel: (faults.cancel ?? ((reason?: unknown) => underlying.cancel(reason))) as () => Promise<
      void
    >,
  };
}

async function* generate(underlying: WatchedReads) {
  try {
    for (;;) {
      const { done, value } = await underlying.read();
      if (done) return;
      yield value;
    }
  } finally {
    await underlying.cancel();
  }
}

const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
const fixed: CheckSourceOptions = { expected: numbers };
let shared: unknown[] = [];

/** Sources with a fault, each with the law that it breaks. */
export const faultySources: readonly PlantedSource[] = [
  {
    name: "never ends",
    law: "ends",
    make: ({ underlying }) => over(underlying, { end: () => {} }),
  },
  {
    name: "asks by setImmediate without end whether there is more",
    law: "ends",
    make: () => ({
      pull: () =>
        new Promise<void>(() => {
          const ask = () => void setImmediate(ask);
          ask();
        }),
    }),
  },
  {
    name: "fails at its end",
    law: "ends",
    make: ({ underlying }) =>
      over(underlying, { end: (controller) => controller.error(new Error("the end")) }),
  },
  {
    name: "is locked when it is made",
    law: "ends",
    make({ underlying }) {
      const stream = new ReadableStream(over(underlying));
      stream.getReader();
      return stream;
    },
  },
  {
    name: "gives its first chunk twice",
    law: "output",
    make: ({ underlying }) =>
      over(underlying, {
        give(chunk, controller, n) {
          if (n === 0) controller.enqueue(chunk);
          controller.enqueue(chunk);
        },
      }),
  },
  {
    name: "leaves out its last chunk",
    law: "output",
    make({ underlying }) {
      const kept: unknown[] = [];
      return over(underlying, {
        give(chunk, controller) {
          kept.push(chunk);
          if (kept.length > 1) controller.enqueue(kept.shift());
          else controller.enqueue(kept[0]);
        },
      });
    },
  },
  {
    name: "gives chunks out of order",
    law: "output",
    make({ underlying }) {
      let held: unknown[] = [];
      return {
        async pull(controller) {
          for (;;) {
            const { done, value } = await underlying.read();
            if (!done && held.push(value) < 2) continue;
            for (const chunk of held.reverse()) controller.enqueue(chunk);
            held = [];
            return done ? controller.close() : undefined;
          }
        },
        cancel: (reason) => underlying.cancel(reason),
      };
    },
    options: { readAhead: 1 },
  },
  {
    name: "drops what a slow reader has no room for",
    law: "pace",
    make: ({ underlying }) => ({
      async start(controller) {
        for (;;) {
          const { done, value } = await underlying.read();
          if (done) return controller.close();
          if (controller.desiredSize > -2) controller.enqueue(value);
        }
      },
      cancel: (reason) => underlying.cancel(reason),
    }),
  },
  {
    name: "has one list for all that are made",
    law: "fresh",
    make() {
      if (shared.length === 0) shared = [...numbers];
      const list = shared;
      return {
        pull(controller) {
          if (list.length > 0) controller.enqueue(list.shift());
          else controller.close();
        },
      };
    },
    options: fixed,
  },
  {
    name: "reads all before it is asked",
    law: "laziness",
    make: ({ underlying }) => ({
      async start(controller) {
        for (;;) {
          const { done, value } = await underlying.read();
          if (done) return controller.close();
          controller.enqueue(value);
        }
      },
      cancel: (reason) => underlying.cancel(reason),
    }),
  },
  {
    name: "reads five chunks ahead",
    law: "laziness",
    make: ({ underlying }) => new ReadableStream(over(underlying), { highWaterMark: 5 }),
  },
  {
    name: "puts all chunks of its own into the queue at once",
    law: "laziness",
    make: () => ({
      pull(controller) {
        for (const n of numbers) controller.enqueue(n);
        controller.close();
      },
      start(controller) {
        for (const n of numbers) controller.enqueue(n);
      },
    }),
    options: { expected: [...numbers, ...numbers] },
  },
  {
    name: "reads without a bound once it has begun",
    law: "boundedReading",
    make({ underlying }) {
      let hasBegun = false;
      return {
        async pull(controller) {
          for (let n = hasBegun ? 6 : 1; n-- > 0;) {
            const { done, value } = await underlying.read();
            if (done) return controller.close();
            controller.enqueue(value);
          }
          hasBegun = true;
        },
        cancel: (reason) => underlying.cancel(reason),
      };
    },
  },
  {
    name: "does not pass a cancel on",
    law: "cancel",
    make: ({ underlying }) => over(underlying, { cancel: () => {} }),
  },
  {
    name: "cancels twice",
    law: "cancel",
    make: ({ underlying }) =>
      over(underlying, {
        async cancel(reason) {
          await underlying.cancel(reason);
          await underlying.cancel(reason);
        },
      }),
  },
  {
    name: "makes a reason of its own",
    law: "cancel",
    make: ({ underlying }) =>
      over(underlying, { cancel: (reason) => underlying.cancel(reason ?? new Error("no reason")) }),
  },
  {
    name: "waits for its read before it cancels",
    law: "cancel",
    make({ underlying }) {
      let reading: Promise<IteratorResult<unknown>> | undefined;
      return {
        async pull(controller) {
          const { done, value } = await (reading = underlying.read());
          try {
            if (done) controller.close();
            else controller.enqueue(value);
          } catch { /* it is cancelled */ }
        },
        async cancel(reason) {
          await reading;
          await underlying.cancel(reason);
        },
      };
    },
  },
  {
    name: "fails in cancel",
    law: "cancel",
    make: ({ underlying }) =>
      over(underlying, {
        async cancel(reason) {
          await underlying.cancel(reason);
          throw new Error("in cancel");
        },
      }),
  },
  {
    name: "is a generator that does not clean up",
    law: "cancel",
    make: ({ underlying }) =>
      (async function* () {
        for (;;) {
          const { done, value } = await underlying.read();
          if (done) return;
          yield value;
        }
      })(),
  },
  {
    name: "takes undefined errors for the end",
    law: "sourceError",
    make: ({ underlying }) =>
      over(underlying, {
        fail: (reason, controller) => reason ? controller.error(reason) : controller.close(),
      }),
  },
  {
    name: "wraps errors",
    law: "sourceError",
    make: ({ underlying }) =>
      over(underlying, {
        fail: (cause, controller) => controller.error(new Error("wrapped", { cause })),
      }),
  },
  {
    name: "hides errors of its own",
    law: "ownError",
    make: ({ underlying }) => over(underlying),
    options: { makeFailing: () => ({ pull: (controller) => controller.close() }) },
  },
  {
    name: "has bytes, and takes the reader's buffer for another",
    law: "bytes",
    make({ underlying }) {
      const inner = over(underlying);
      return {
        type: "bytes",
        async pull(controller) {
          const view = controller.byobRequest?.view as Uint8Array | null | undefined;
          if (!view) return await inner.pull(controller as unknown as Controller);
          const { done, value } = await underlying.read();
          if (done) controller.close();
          else view[0] = (value as Uint8Array)[0]!;
          controller.byobRequest!.respond(done ? 0 : 1);
        },
        cancel: (reason) => underlying.cancel(reason),
      };
    },
    options: { chunks: [new Uint8Array([1, 2]), new Uint8Array([3, 4])] },
  },
  {
    name: "leaves a timer",
    law: "leaks",
    make({ underlying }) {
      const timer = setInterval(() => {}, 1_000);
      return over(underlying, {
        end(controller) {
          clearInterval(timer);
          controller.close();
        },
      });
    },
  },
  {
    name: "leaves a listener",
    law: "leaks",
    make({ underlying, signal }) {
      signal.addEventListener("abort", () => {});
      return over(underlying);
    },
  },
  {
    name: "goes on reading after a cancel",
    law: "idleAfterEnd",
    make: ({ underlying }) =>
      over(underlying, {
        cancel(reason) {
          setTimeout(() => void underlying.read(), 5_000);
          return underlying.cancel(reason);
        },
      }),
  },
];

/** Sources that break no law. */
export const rightSources: readonly PlantedSource[] = [
  { name: "an underlying source", make: ({ underlying }) => over(underlying) },
  { name: "a ReadableStream", make: ({ underlying }) => new ReadableStream(over(underlying)) },
  { name: "an async generator", make: ({ underlying }) => generate(underlying) },
  { name: "a list", make: () => [...numbers], options: fixed },
  { name: "reader of a list", make: () => reader([...numbers]), options: fixed },
  {
    name: "reader of a generator",
    make: ({ underlying }) => reader(generate(underlying)),
    options: {
      skip: {
        cancel: "a generator is given no reason",
        abort: "a generator that waits cannot be ended",
        sinkError: "a generator is given no reason",
      },
    },
  },
  {
    name: "the readable end of a TransformStream",
    make: ({ underlying }) =>
      new ReadableStream(over(underlying)).pipeThrough(new TransformStream()),
    options: { readAhead: 1 },
  },
  {
    name: "timeout",
    make: ({ underlying }) =>
      timeout(new ReadableStream(over(underlying), { highWaterMark: 0 }), { idleMs: 60_000 }),
  },
  {
    name: "concat",
    make: ({ underlying }) =>
      concat([], new ReadableStream(over(underlying), { highWaterMark: 0 })),
  },
  {
    name: "merge of one",
    make: ({ underlying }) => merge(new ReadableStream(over(underlying), { highWaterMark: 0 })),
  },
  {
    name: "tee, read by one",
    make: ({ underlying }) =>
      tee(new ReadableStream(over(underlying), { highWaterMark: 0 }), 1)[0]!,
  },
  {
    name: "a fused stage after a stream",
    make: ({ underlying }) =>
      new ReadableStream(over(underlying), { highWaterMark: 0 })
        .pipeThrough(fuse(map((n: number) => n + 1)) as TransformStream),
    options: { expected: (chunks) => chunks.map((n) => Number(n) + 1) },
  },
  {
    name: "a stream of bytes",
    make: ({ underlying }) => ({
      type: "bytes",
      async pull(controller) {
        const { done, value } = await underlying.read();
        if (!done) return controller.enqueue(value as Uint8Array<ArrayBuffer>);
        controller.close();
        controller.byobRequest?.respond(0);
      },
      cancel: (reason) => underlying.cancel(reason),
    }),
    options: { chunks: [new Uint8Array([1, 2]), new Uint8Array([3, 4, 5, 6])] },
  },
  {
    name: "the stream of a Blob",
    make: () => new Blob(["ab"]).stream(),
    options: { expected: [new Uint8Array([97, 98])], io: true },
  },
  {
    name: "a Readable of Node",
    make: () => Readable.from([...numbers]),
    options: fixed,
  },
  {
    name: "fromNode of a Readable",
    make: () => fromNode(Readable.from([...numbers])),
    options: fixed,
  },
];
