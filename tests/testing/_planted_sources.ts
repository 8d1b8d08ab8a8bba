import { fuse, map, reader } from "@hosepipe/streams";
import type {
  CheckedSource,
  CheckSourceOptions,
  MadeFrom,
  WatchedReads,
} from "@hosepipe/streams/testing";
import { fromNode } from "@hosepipe/streams/node";
import { Readable } from "node:stream";
import type { Faults, Planted } from "./_test_planted.ts";

type Controller = ReadableStreamDefaultController<unknown>;

type PlantedSource = Planted<
  (context: MadeFrom<WatchedReads>) => CheckedSource,
  CheckSourceOptions
>;

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
export const faultySources: Faults<PlantedSource> = {
  ends: {
    "never ends": ({ underlying }) => over(underlying, { end: () => {} }),
    "asks by setImmediate without end whether there is more": () => ({
      pull: () =>
        new Promise<void>(() => {
          const ask = () => void setImmediate(ask);
          ask();
        }),
    }),
    "fails at its end": ({ underlying }) =>
      over(underlying, { end: (controller) => controller.error(new Error("the end")) }),
    "is locked when it is made"({ underlying }) {
      const stream = new ReadableStream(over(underlying));
      stream.getReader();
      return stream;
    },
  },
  output: {
    "gives its first chunk twice": ({ underlying }) =>
      over(underlying, {
        give(chunk, controller, n) {
          if (n === 0) controller.enqueue(chunk);
          controller.enqueue(chunk);
        },
      }),
    "gives chunks out of order": [({ underlying }) => {
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
    }, { readAhead: 1 }],
  },
  pace: {
    "drops what a slow reader has no room for": ({ underlying }) => ({
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
  fresh: {
    "has one list for all that are made": [() => {
      if (shared.length === 0) shared = [...numbers];
      const list = shared;
      return {
        pull(controller) {
          if (list.length > 0) controller.enqueue(list.shift());
          else controller.close();
        },
      };
    }, fixed],
  },
  laziness: {
    "reads five chunks ahead": ({ underlying }) =>
      new ReadableStream(over(underlying), { highWaterMark: 5 }),
    "puts all chunks of its own into the queue at once": [() => ({
      pull(controller) {
        for (const n of numbers) controller.enqueue(n);
        controller.close();
      },
      start(controller) {
        for (const n of numbers) controller.enqueue(n);
      },
    }), { expected: [...numbers, ...numbers] }],
  },
  boundedReading: {
    "reads without a bound once it has begun"({ underlying }) {
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
  cancel: {
    "does not pass a cancel on": ({ underlying }) => over(underlying, { cancel: () => {} }),
    "cancels twice": ({ underlying }) =>
      over(underlying, {
        async cancel(reason) {
          await underlying.cancel(reason);
          await underlying.cancel(reason);
        },
      }),
    "makes a reason of its own": ({ underlying }) =>
      over(underlying, { cancel: (reason) => underlying.cancel(reason ?? new Error("no reason")) }),
    "waits for its read before it cancels"({ underlying }) {
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
    "fails in cancel": ({ underlying }) =>
      over(underlying, {
        async cancel(reason) {
          await underlying.cancel(reason);
          throw new Error("in cancel");
        },
      }),
    "is a generator that does not clean up": ({ underlying }) =>
      (async function* () {
        for (;;) {
          const { done, value } = await underlying.read();
          if (done) return;
          yield value;
        }
      })(),
  },
  sourceError: {
    "takes undefined errors for the end": ({ underlying }) =>
      over(underlying, {
        fail: (reason, controller) => reason ? controller.error(reason) : controller.close(),
      }),
  },
  ownError: {
    "hides errors of its own": [({ underlying }) => over(underlying), {
      makeFailing: () => ({ pull: (controller) => controller.close() }),
    }],
  },
  bytes: {
    "has bytes, and takes the reader's buffer for another": [({ underlying }) => {
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
    }, { chunks: [new Uint8Array([1, 2]), new Uint8Array([3, 4])] }],
  },
  leaks: {
    "leaves a timer"({ underlying }) {
      const timer = setInterval(() => {}, 1_000);
      return over(underlying, {
        end(controller) {
          clearInterval(timer);
          controller.close();
        },
      });
    },
    "leaves a listener"({ underlying, signal }) {
      signal.addEventListener("abort", () => {});
      return over(underlying);
    },
  },
  idleAfterEnd: {
    "goes on reading after a cancel": ({ underlying }) =>
      over(underlying, {
        cancel(reason) {
          setTimeout(() => void underlying.read(), 5_000);
          return underlying.cancel(reason);
        },
      }),
  },
};

/** Sources that break no law. */
export const rightSources: Readonly<Record<string, PlantedSource>> = {
  "an underlying source": ({ underlying }) => over(underlying),
  "a ReadableStream": ({ underlying }) => new ReadableStream(over(underlying)),
  "an async generator": ({ underlying }) => generate(underlying),
  "a list": [() => [...numbers], fixed],
  "reader of a list": [() => reader([...numbers]), fixed],
  "reader of a generator": [({ underlying }) => reader(generate(underlying)), {
    skip: {
      cancel: "a generator is given no reason",
      abort: "a generator that waits cannot be ended",
      sinkError: "a generator is given no reason",
    },
  }],
  "the readable end of a TransformStream": [
    ({ underlying }) => new ReadableStream(over(underlying)).pipeThrough(new TransformStream()),
    { readAhead: 1 },
  ],
  "a fused stage after a stream": [
    ({ underlying }) =>
      new ReadableStream(over(underlying), { highWaterMark: 0 })
        .pipeThrough(fuse(map((n: number) => n + 1)) as TransformStream),
    { expected: (chunks) => chunks.map((n) => Number(n) + 1) },
  ],
  "a stream of bytes": [({ underlying }) => ({
    type: "bytes",
    async pull(controller) {
      const { done, value } = await underlying.read();
      if (!done) return controller.enqueue(value as Uint8Array<ArrayBuffer>);
      controller.close();
      controller.byobRequest?.respond(0);
    },
    cancel: (reason) => underlying.cancel(reason),
  }), { chunks: [new Uint8Array([1, 2]), new Uint8Array([3, 4, 5, 6])] }],
  "the stream of a Blob": [() => new Blob(["ab"]).stream(), {
    expected: [new Uint8Array([97, 98])],
    io: true,
  }],
  "a Readable of Node": [() => Readable.from([...numbers]), fixed],
  "fromNode of a Readable": [() => fromNode(Readable.from([...numbers])), fixed],
};
