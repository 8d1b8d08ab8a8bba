import { test } from "node:test";
import { assertEquals } from "@std/assert";
import * as library from "@hosepipe/streams";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { hostilePromises, throwingGetter } from "../lib/hostile.ts";
import { reasons } from "../lib/reasons.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";

// Wherever a promise calls back into the library there is no caller to throw to: what throws there ends the run.

/** What both ends of a run have heard. */
interface Heard {
  readonly source: unknown[];
  readonly sink: unknown[];
}

// deno-lint-ignore no-explicit-any -- the places differ in what they take
type Any = any;
const { fuse, map, pipeline, take, toArray, writer } = library as Any;

function countingSource(heard: Heard): ReadableStream<number> {
  let n = 0;
  return new ReadableStream({
    pull: (controller) => n++ < 4 ? controller.enqueue(n) : controller.close(),
    cancel: (reason) => void heard.source.push(reason),
  }, { highWaterMark: 0 });
}

function sinkOf(heard: Heard): WritableStream<unknown> {
  return new WritableStream({ abort: (reason) => void heard.sink.push(reason) });
}

async function assertFails(
  title: string,
  run: (reason: unknown, heard: Heard) => Promise<unknown>,
  expected: { readonly source?: readonly unknown[]; readonly hearsSink?: boolean },
): Promise<void> {
  for (const { name, reason } of reasons) {
    const heard: Heard = { source: [], sink: [] };
    const unhandled = collectUnhandled();
    try {
      const standing = await settledWithin(run(reason, heard), 30);
      await turns(2);
      assertEquals(standing, { state: "rejected", reason }, `${title}: ${name}`);
      assertEquals(unhandled.take(), [], `${title}: ${name}`);
    } finally {
      unhandled.close();
    }
    const { source = [reason], hearsSink = true } = expected;
    assertEquals(heard, { source, sink: hearsSink ? [reason] : [] }, `${title}: ${name}`);
  }
}

const pass = () => map((n: unknown) => n);

// What a method of a part answers in place of a promise.
const operators: Record<string, (fn: () => unknown) => unknown> = {
  map: (fn) => map(fn),
  filter: library.filter,
  tap: library.tap,
  takeWhile: (fn) => library.takeWhile(fn),
  dropWhile: library.dropWhile,
  scan: (fn) => library.scan(fn as Any, 0),
  flatMap: (fn) => library.flatMap(fn as Any),
  "flatMap's iterator": (fn) =>
    library.flatMap(() => ({ [Symbol.asyncIterator]: () => ({ next: fn }) }) as Any),
  parallel: (fn) => library.parallel(fn, { concurrency: 2 }),
  "parallel without order": (fn) => library.parallel(fn, { concurrency: 2, ordered: false }),
  batchBy: (fn) => library.batchBy(fn, 2),
  transform: (fn) => ({ transform: fn }),
  flush: (fn) => ({ flush: fn }),
  start: (fn) => ({ start: fn }),
};
const runs: Record<
  string,
  (source: ReadableStream, stages: unknown[], sink: WritableStream) => Promise<unknown>
> = {
  "a run": (source, stages, sink) => pipeline(source, ...stages, sink),
  "a fused chain": (source, stages, sink) => source.pipeThrough(fuse(...stages)).pipeTo(sink),
};
const chains: Record<string, (stage: unknown) => unknown[]> = {
  alone: (stage) => [stage],
  "among others": (stage) => [pass(), stage, pass()],
};

for (const hostile of hostilePromises) {
  const answer = (reason: unknown) => () => hostile.make(reason);

  for (const [name, make] of Object.entries(operators)) {
    // What fails at the end finds nothing to cancel.
    const source = name === "flush" ? [] : undefined;

    for (const [way, run] of Object.entries(runs)) {
      test(`${hostile.name} from ${name} ends ${way} and both its ends`, async () => {
        for (const [place, chain] of Object.entries(chains)) {
          await assertFails(
            place,
            (reason, heard) =>
              run(countingSource(heard), chain(make(answer(reason))), sinkOf(heard)),
            { source },
          );
        }
      });
    }
  }

  test(`${hostile.name} from a sink's function ends the run and cancels the source`, async () => {
    const sinks: Record<string, (write: () => unknown) => unknown> = {
      "a function": (write) => write,
      writer: (write) => writer(write),
      "writer with concurrency": (write) => writer(write, { concurrency: 2 }),
    };
    for (const [name, sink] of Object.entries(sinks)) {
      for (const stages of [[], [pass()]]) {
        await assertFails(
          `${name}, ${stages.length} stages`,
          (reason, heard) =>
            pipeline(countingSource(heard), ...stages, sink(() => hostile.make(reason))),
          { hearsSink: false },
        );
      }
    }
    // How it waits for `close` is the runtime's: Bun's does not ask a promise for its constructor.
    const isAsked = !(hostile.make(undefined) instanceof Promise);
    for (const method of isAsked ? ["close", "release"] : []) {
      await assertFails(
        method,
        (reason, heard) =>
          pipeline(countingSource(heard), writer(() => {}, { [method]: answer(reason) })),
        { source: [], hearsSink: false },
      );
    }
  });

  test(`${hostile.name} from a source's next ends the run, whatever reads it`, async () => {
    for (const [name, read] of Object.entries(readers)) {
      await assertFails(
        name,
        (reason, heard) => read(asyncIterable(heard, answer(reason)), heard),
        { source: [], hearsSink: name !== "toArray" },
      );
    }
  });

  test(`${hostile.name} from a source's return after an early end is what the run fails with`, async () => {
    await assertFails("take", (reason, heard) => {
      const iterator = {
        next: () => Promise.resolve({ done: false, value: 1 }),
        return: answer(reason),
      };
      return pipeline({ [Symbol.asyncIterator]: () => iterator }, take(1), sinkOf(heard));
    }, { source: [], hearsSink: false });
  });

  test(`${hostile.name} as a chunk of an iterable ends the run and closes the iterator`, async () => {
    for (const [name, read] of Object.entries(readers)) {
      // `reader` passes such chunks on as they are.
      if (name === "reader") continue;
      await assertFails(name, (reason, heard) =>
        read(
          syncIterable(heard, () => ({ done: false, value: hostile.make(reason) })),
          heard,
        ), { source: ["return"], hearsSink: name !== "toArray" });
    }
  });
}

/** Whatever reads a source for itself. */
const readers: Record<string, (source: unknown, heard: Heard) => Promise<unknown>> = {
  pipeline: (source, heard) => pipeline(source, pass(), sinkOf(heard)),
  "pipeline without a stage": (source, heard) => pipeline(source, sinkOf(heard)),
  toArray: (source) => toArray(source),
  merge: (source, heard) => pipeline(library.merge(source as Any), sinkOf(heard)),
  concat: (source, heard) => pipeline(library.concat(source as Any), sinkOf(heard)),
  zip: (source, heard) => pipeline(library.zip(source as Any), sinkOf(heard)),
  tee: (source, heard) => pipeline(library.tee(source as Any, 1)[0], sinkOf(heard)),
  timeout: (source, heard) =>
    pipeline(library.timeout(source as Any, { idleMs: 100_000 }), sinkOf(heard)),
  retry: (source, heard) =>
    pipeline(library.retry(() => source as Any, { attempts: 1 }), sinkOf(heard)),
  reader: (source, heard) => pipeline(library.reader(source as Any), sinkOf(heard)),
};

function asyncIterable(heard: Heard, next: () => unknown): unknown {
  const close = () => {
    heard.source.push("return");
    return Promise.resolve({});
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: close }) };
}

function syncIterable(heard: Heard, next: () => unknown): unknown {
  const close = () => {
    heard.source.push("return");
    return {};
  };
  return { [Symbol.iterator]: () => ({ next, return: close }) };
}

// What an iterator, or a stream of another library, gives as its result.
const results: Record<string, (reason: unknown) => unknown> = {
  done: (reason) => throwingGetter("done", reason, { value: 1 }),
  value: (reason) => throwingGetter("value", reason, { done: false }),
};

for (const [member, make] of Object.entries(results)) {
  for (const [name, read] of Object.entries(readers)) {
    test(`a getter of ${member} that throws in a source's result ends the run: ${name}`, async () => {
      const hearsSink = name !== "toArray";
      // As in `for await`, an iterator whose result is broken is not closed.
      const expected = { source: [], hearsSink };
      await assertFails(
        "asynchronous",
        (reason, heard) => read(asyncIterable(heard, () => Promise.resolve(make(reason))), heard),
        expected,
      );
      await assertFails(
        "synchronous",
        (reason, heard) => read(syncIterable(heard, () => make(reason)), heard),
        expected,
      );
      await assertFails("a stream", (reason, heard) => {
        const defaultReader = {
          read: () => Promise.resolve(make(reason)),
          closed: new Promise(() => {}),
          cancel: () => Promise.resolve(),
          releaseLock() {},
        };
        return read({ locked: false, getReader: () => defaultReader }, heard);
      }, expected);
    });
  }
}

test("what the end of a sink of another library throws is what the run fails with", async () => {
  for (const method of ["close", "releaseLock"]) {
    for (const stages of [[], [pass()]]) {
      await assertFails(method, (reason, heard) => {
        const defaultWriter: Record<string, unknown> = {
          desiredSize: 1,
          ready: Promise.resolve(),
          closed: new Promise(() => {}),
          write: () => Promise.resolve(),
          close: () => Promise.resolve(),
          abort: () => Promise.resolve(),
          releaseLock() {},
          [method](): never {
            throw reason;
          },
        };
        const sink = { locked: false, getWriter: () => defaultWriter };
        return pipeline(countingSource(heard), ...stages, sink);
      }, { source: [], hearsSink: false });
    }
  }
});

test("a sink's promise of a kind of its own is waited for once, though a stage fails meanwhile", async () => {
  let waits = 0;
  let write!: () => void;
  const sink = () => ({
    then(onFulfilled: () => void) {
      waits++;
      write = onFulfilled;
    },
  });
  const reason = new Error("the second chunk");
  const failing = {
    transform(n: number, controller: TransformStreamDefaultController) {
      if (n === 2) throw reason;
      controller.enqueue(n);
    },
  };
  const run = pipeline([1, 2], {}, failing, sink);
  assertEquals((await settledWithin(run, 3)).state, "pending");
  write();
  assertEquals(await settledWithin(run), { state: "rejected", reason });
  assertEquals(waits, 1);
});
