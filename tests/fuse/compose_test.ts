import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import {
  batch,
  compose,
  filter,
  flatMap,
  fuse,
  lines,
  map,
  parallel,
  pipeline,
  scan,
  take,
  tap,
  type Transformer,
} from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import * as node from "@hosepipe/streams/node";
import { meaningOf } from "../../src/kernels/registry.ts";
import { turns } from "../lib/turns.ts";

type Run = <I, O>(source: Iterable<I>, stage: Transformer<I, O>) => Promise<O[]>;

function toStream<T>(source: Iterable<T>): ReadableStream<T> {
  const iterator = source[Symbol.iterator]();
  return new ReadableStream<T>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void iterator.return?.(),
  }, { highWaterMark: 0 });
}

async function gather<T>(stream: ReadableStream<T>): Promise<T[]> {
  const chunks: T[] = [];
  await stream.pipeTo(new WritableStream({ write: (chunk) => void chunks.push(chunk) }));
  return chunks;
}

const native = (strategy?: QueuingStrategy): Run => async (source, stage) =>
  await gather(toStream(source).pipeThrough(new TransformStream(stage, undefined, strategy)));

const ways: Record<string, Run> = {
  "natively": native(),
  "natively, with room for 16 chunks": native({ highWaterMark: 16 }),
  "fused": async (source, stage) => await gather(toStream(source).pipeThrough(fuse(stage))),
  "in pipeline": async <I, O>(source: Iterable<I>, stage: Transformer<I, O>) => {
    const chunks: O[] = [];
    await pipeline(source, stage, (chunk) => void chunks.push(chunk));
    return chunks;
  },
};

const turn = () => new Promise((resolve) => setTimeout(resolve));

/** A stage that notes what is called of it. */
function noting(name: string, calls: string[]): Transformer<number, number> {
  return {
    start: () => void calls.push(`${name} start`),
    transform: (chunk, controller) => controller.enqueue(chunk),
    flush: () => void calls.push(`${name} flush`),
    cancel: (reason) => void calls.push(`${name} cancel ${reason}`),
  };
}

for (const [way, run] of Object.entries(ways)) {
  test(`compose ${way} gives what its stages give, empty or not`, async () => {
    const stage = () =>
      compose(
        lines(),
        flatMap((line) => line.split(" ")),
        filter((word) => word !== ""),
        map(async (word) => await word.length),
        scan((sum, length) => sum + length, 0),
        batch(2),
      );
    assertEquals(await run([], stage()), []);
    assertEquals(await run(["a bc\nd", "e f  g\n"], stage()), [[1, 3], [5, 6], [7]]);
  });

  test(`compose ${way} nests, and may be used many times`, async () => {
    const add = compose(map((n: number) => n + 1));
    const added = compose(add, compose(), compose(add, compose([add, add])));
    assertEquals(await run([1, 2], added), [5, 6]);
    assertEquals(await Promise.all([run([1], added), run([2], added)]), [[5], [6]]);
    assertEquals(await run([1], compose(added, added)), [9]);
  });

  test(`compose ${way} without stages passes on what it is given`, async () => {
    assertEquals(await run([1, undefined, null], compose()), [1, undefined, null]);
    assertEquals(await run([1, 2], compose([])), [1, 2]);
  });

  test(`compose ${way} ends early when a stage does`, async () => {
    let reads = 0;
    function* numbers() {
      while (true) yield reads++;
    }
    const calls: string[] = [];
    const few = compose(noting("a", calls), take(3), noting("b", calls));
    assertEquals(await run(numbers(), few), [0, 1, 2]);
    assert(reads <= 6, `${reads} were read`);
    assertEquals(calls.filter((call) => call.startsWith("b")), ["b start", "b flush"]);
    assertEquals(calls.filter((call) => call.startsWith("a")).length, 2);
  });

  for (const place of [0, 1, 2]) {
    for (const method of ["start", "transform", "flush"] as const) {
      test(`compose ${way} fails with what ${method} of stage ${place} throws`, async () => {
        for (const reason of [new Error("no"), undefined]) {
          const fail = () => {
            throw reason;
          };
          const stages = [0, 1, 2].map((at): Transformer<number, number> =>
            at === place ? { [method]: fail } : {}
          );
          const caught = await run([1], compose(stages))
            .then(() => "fulfilled", (error) => ({ error }));
          assertEquals(typeof caught, "object");
          assertStrictEquals((caught as { error: unknown }).error, reason);
        }
      });
    }
  }

  test(`compose ${way} gives what was made before a failure`, async () => {
    const seen: number[] = [];
    const failing = compose(
      flatMap((n: number) => [n, n + 1, n + 2]),
      map((n) => {
        if (n === 12) throw "twelve";
        return n;
      }),
    );
    const caught = await run([0, 10], compose(failing, tap((n) => void seen.push(n))))
      .then(() => "fulfilled", (reason) => reason);
    assertEquals([caught, seen], ["twelve", [0, 1, 2, 10, 11]]);
  });
}

test("compose fails a native stream at both ends with the reason, after what was made before", async () => {
  const reason = new Error("two");
  const { readable, writable } = new TransformStream(compose(
    map((n: number) => {
      if (n === 2) throw reason;
      return n;
    }),
  ));
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const written = [1, 2, 3].map((n) => writer.write(n).then(() => "written", (error) => error));
  assertEquals(await reader.read(), { done: false, value: 1 });
  assertStrictEquals(await reader.read().catch((error) => error), reason);
  assertStrictEquals(await reader.closed.catch((error) => error), reason);
  assertStrictEquals(await writer.closed.catch((error) => error), reason);
  assertEquals(await Promise.all(written), ["written", reason, reason]);
});

test("a cancelled native stream of a composition cancels each of its stages, and no other stream's", async () => {
  const calls: string[] = [];
  const stage = compose(noting("a", calls), noting("b", calls));
  const streams = Array.from({ length: 3 }, () => new TransformStream(stage));
  await turn();
  calls.length = 0;
  await streams[1]!.readable.cancel("enough");
  assertEquals(calls.toSorted(), ["a cancel enough", "b cancel enough"]);
  calls.length = 0;
  await streams[0]!.writable.abort("broken");
  assertEquals(calls.toSorted(), ["a cancel broken", "b cancel broken"]);

  calls.length = 0;
  const reader = streams[2]!.readable.getReader();
  const writer = streams[2]!.writable.getWriter();
  writer.write(1);
  assertEquals(await reader.read(), { done: false, value: 1 });
  assertEquals(calls, []);
  await Promise.all([writer.close(), reader.read()]);
  assertEquals(calls, ["a flush", "b flush"]);
});

test("a composition knows whose cancel it is, whoever has looked at its methods before", async () => {
  const looks: Record<string, (stage: Transformer<number, number>) => unknown> = {
    "nobody": () => {},
    "at cancel": (stage) => typeof stage.cancel,
    "at start": (stage) => typeof stage.start,
    "at both, twice": (stage) => [stage.start, stage.cancel, stage.cancel, stage.start],
    "at all": (stage) => ({ ...stage }),
  };
  for (const [who, look] of Object.entries(looks)) {
    const calls: string[] = [];
    const stage = compose(noting("a", calls), noting("b", calls));
    const streams = Array.from({ length: 3 }, () => {
      look(stage);
      return new TransformStream(stage);
    });
    look(stage);
    await turn();
    calls.length = 0;
    await streams[1]!.readable.cancel("enough");
    assertEquals(calls.toSorted(), ["a cancel enough", "b cancel enough"], who);
    await streams[1]!.writable.getWriter().closed.catch(() => {});
    await streams[0]!.writable.abort("broken");
    assertEquals(calls.length, 4, who);
    await streams[2]!.readable.cancel("done");
    assertEquals(calls.slice(4).toSorted(), ["a cancel done", "b cancel done"], who);
  }
});

test("a copy of a composition may serve one stream after the other", async () => {
  const calls: string[] = [];
  const copy = { ...compose(noting("a", calls)) };
  for (let count = 0; count < 3; count++) {
    calls.length = 0;
    await new TransformStream(copy).readable.cancel(count);
    assertEquals(calls, ["a start", `a cancel ${count}`]);
    await turn();
  }
});

test("a probed composition and one in a node transform do what they do elsewhere", async () => {
  const stage = compose(map((n: number) => n + 1), filter((n) => n > 2));
  const look = probe();
  const probed = toStream([1, 2, 3]).pipeThrough(new TransformStream(look.transformer(stage)));
  assertEquals(await gather(probed), [3, 4]);
  const { reader, transformer } = node;
  const chunks: number[] = [];
  for await (const chunk of reader([1, 2, 3]).pipe(transformer(stage))) chunks.push(chunk);
  assertEquals(chunks, [3, 4]);
});

test("what a stage's cancel throws fails the native stream's cancel", async () => {
  const stage = compose(map((n: number) => n), {
    cancel() {
      throw "cannot cancel";
    },
  });
  const cancelled = new TransformStream(stage).readable.cancel("enough");
  assertEquals(await cancelled.catch((reason) => reason), "cannot cancel");
});

test("cancelling a native stream of a composition ends work that hangs", async () => {
  const calls: string[] = [];
  const stage = compose(
    noting("a", calls),
    parallel(() => new Promise<number>(() => {}), { concurrency: 2 }),
    noting("b", calls),
  );
  let cancelled: unknown;
  const source = new ReadableStream<number>({
    pull: (controller) => controller.enqueue(1),
    cancel: (reason) => void (cancelled = reason),
  });
  const reader = source.pipeThrough(new TransformStream(stage)).getReader();
  const read = reader.read();
  await turn();
  await reader.cancel("enough");
  assertEquals(await read, { done: true, value: undefined });
  await turn();
  assertEquals(cancelled, "enough");
  assertEquals(calls.filter((call) => call.includes("cancel")).toSorted(), [
    "a cancel enough",
    "b cancel enough",
  ]);
});

test("a native stream of a composition reads ahead of a slow reader as a fused one does", async () => {
  const counts: number[] = [];
  for (const toPair of [fuse, (stage: Transformer) => new TransformStream(stage)]) {
    let made = 0;
    const endless = compose(
      map((n: number) => n),
      flatMap(function* (n: number) {
        while (true) {
          made++;
          yield n;
        }
      }),
    );
    const reader = toStream([7]).pipeThrough<number>(toPair(endless)).getReader();
    for (let count = 0; count < 5; count++) assertEquals((await reader.read()).value, 7);
    await turns(10);
    counts.push(made);
    await reader.cancel();
    const madeThen = made;
    await turns(10);
    assertEquals(made, madeThen);
  }
  const [fused, composed] = counts;
  assert(composed! <= fused! + 1, `${composed} were made, fused ${fused}`);
});

test("a reader that leaves while a composition flushes ends its stages", async () => {
  for (const highWaterMark of [0, 1, 4]) {
    let made = 0;
    let isClosed = false;
    const endless = compose(
      map((n: number) => n),
      flatMap(function* (n: number) {
        try {
          while (true) yield n + made++;
        } finally {
          isClosed = true;
        }
      }),
    );
    const { readable, writable } = new TransformStream(endless, {}, { highWaterMark });
    const writer = writable.getWriter();
    const closed = writer.write(0).then(() => writer.close()).catch(() => {});
    const reader = readable.getReader();
    assertEquals(await reader.read(), { done: false, value: 0 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await reader.cancel("enough");
    await closed;
    assert(isClosed, `with room for ${highWaterMark}`);
  }
});

test("chunks of one chunk reach the reader though no other chunk follows", async () => {
  const stage = compose(map((n: number) => n), flatMap((n) => [n, n + 1, n + 2]));
  const { readable, writable } = new TransformStream(stage);
  const writer = writable.getWriter();
  writer.write(1);
  const reader = readable.getReader();
  const values = [];
  for (let count = 0; count < 3; count++) values.push((await reader.read()).value);
  assertEquals(values, [1, 2, 3]);
  await reader.cancel();
});

test("a composition's stages are its own: a changed copy is another transformer, the original cannot be changed", async () => {
  const stage = compose(map((n: number) => n + 1), map((n) => n * 2));
  const copy: Transformer<number, number> = {
    ...stage,
    flush: async (controller) => {
      await stage.flush!(controller);
      controller.enqueue(-1);
    },
  };
  for (const [way, run] of Object.entries(ways)) {
    assertEquals(await run([1, 2], copy), [4, 6, -1], way);
    assertEquals(await run([1, 2], stage), [4, 6], way);
  }
  assertThrows(() => {
    stage.transform = undefined;
  }, TypeError);
});

test("an array given to compose may change afterwards", async () => {
  const stages = [map((n: number) => n + 1)];
  const stage = compose(stages);
  stages.push(map((n: number) => n * 100));
  assertEquals(await ways.fused!([1], stage), [2]);
});

test("compositions are flattened, however deep", () => {
  const [a, b, c] = [map((n: number) => n), map((n: number) => n), map((n: number) => n)];
  const { stages } = meaningOf(compose(a, compose(b, compose(c)), compose()))!;
  assertEquals(stages!.length, 3);
  assert([a, b, c].every((stage, index) => stages![index] === stage));
});

test("compose refuses what is no transformer", () => {
  const refused = [
    [
      () => compose(map(() => 1), new ReadableStream() as unknown as Transformer),
      "stage 2 is a ReadableStream; a pair of streams has a readable and a writable",
    ],
    [() => compose(map as unknown as Transformer), "stage 1 is a function; wrap it"],
    [() => compose(null as unknown as Transformer), "stage 1 is null, not a stage"],
    [
      () => compose({}, [] as unknown as Transformer),
      "stage 2 is an array",
    ],
    [() => compose([{}, 5 as unknown as Transformer]), "stage 2 is 5, not a stage"],
    [() => compose({ flush: 1 } as unknown as Transformer), "flush of stage 1 must be a function"],
  ] as const;
  for (const [call, message] of refused) {
    assertThrows(call, TypeError, "Cannot compose: ");
    assertThrows(call, TypeError, message);
  }
});

test("a composition holds a stage of a pair's own before and after the pair", async () => {
  const chunks: string[] = [];
  await pipeline(
    ["a\nb"],
    compose(lines(), map((line) => line + "\n")),
    new TextEncoderStream(),
    compose([lines() as Transformer]),
    (line: string) => void chunks.push(line),
  );
  assertEquals(chunks, ["a", "b"]);
});

test("a signal ends a pipeline of a composition that hangs", async () => {
  const hang = compose(map(() => new Promise<number>(() => {})));
  const controller = new AbortController();
  const run = pipeline([1], hang, () => {}, { signal: controller.signal });
  setTimeout(() => controller.abort("enough"));
  assertEquals(await assertRejects(() => run).catch(() => "enough"), "enough");
});
