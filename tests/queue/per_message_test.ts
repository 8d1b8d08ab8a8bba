import { test } from "node:test";
import fc from "fast-check";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  batch,
  compose,
  filter,
  flatMap,
  lines,
  map,
  parallel,
  pipeline,
  scan,
  type Transformer,
} from "@hosepipe/streams";
import { type Output, perMessage } from "@hosepipe/streams/queue";
import { consumerOf, numbers, workThrough } from "./_memory_queue.ts";
import { draws } from "../lib/thorough.ts";

const none = () => {};

test("perMessage refuses bad arguments", async () => {
  assertThrows(() => perMessage({ concurrency: 0 }), RangeError, "concurrency must be a positive");
  assertThrows(() => perMessage(1 as never), TypeError, "stage 1 is 1, not a stage");
  const options = { concurrency: 1, ordered: true };
  assertThrows(() => perMessage(map(none), options), TypeError, 'unknown option "ordered"');
  const run = pipeline([1] as never[], perMessage(), none);
  await assertRejects(() => run, TypeError, "chunk must be a message of a consumer, got 1");
});

test("each message is a run of its own: stages begin and flush with it", async () => {
  const { queue, consumer } = consumerOf(["a\nb", "c", "", "d\ne\n"]);
  const events: string[] = [];
  const watch: Transformer<string, string> = {
    start: () => void events.push("start"),
    transform(chunk, controller) {
      events.push(chunk);
      controller.enqueue(chunk);
    },
    flush: () => void events.push("flush"),
  };
  const saved: [string, string][] = [];
  await workThrough(
    queue,
    consumer,
    perMessage(lines(), watch, scan((sum: string, line: string) => sum + line, "")),
    (outputs) => {
      for (const { key, value } of outputs) saved.push([key, value]);
    },
  );
  assertEquals(saved, [["0/0", "a"], ["0/1", "ab"], ["1/0", "c"], ["3/0", "d"], ["3/1", "de"]]);
  assertEquals(events, [
    ...["start", "a", "b", "flush", "start", "c", "flush", "start", "flush"],
    ...["start", "d", "e", "flush"],
  ]);
});

test("generators behind each other run for each message", async () => {
  const { queue, consumer } = consumerOf(["ab", "c", "", "def"]);
  async function* letters(source: AsyncIterable<string>) {
    for await (const text of source) yield* text;
  }
  async function* upper(source: AsyncIterable<string>) {
    for await (const letter of source) {
      await undefined;
      if (letter !== "e") yield letter.toUpperCase();
    }
    yield ".";
  }
  const saved: [string, string][] = [];
  await workThrough(queue, consumer, perMessage(letters, upper, letters, upper), (outputs) => {
    for (const { key, value } of outputs) saved.push([key, value]);
  });
  assertEquals(saved.map(([key, value]) => `${key[0]}${value}`), [
    ...["0A", "0B", "0.", "0."],
    ...["1C", "1.", "1."],
    ...["2.", "2."],
    ...["3D", "3F", "3.", "3."],
  ]);
});

for (const concurrency of [1, 3]) {
  test(`${concurrency} at a time are in work, and no more`, async () => {
    const { queue, consumer } = consumerOf(numbers(30));
    let [active, peak] = [0, 0];
    const work = map(async (body: string) => {
      peak = Math.max(peak, ++active);
      await new Promise((resolve) => setTimeout(resolve, 1));
      active--;
      return body;
    });
    await workThrough(queue, consumer, perMessage(work, { concurrency }), none);
    assertEquals([peak, queue.acknowledged.length], [concurrency, 30]);
  });
}

test("a message that gives very much waits for the store", async () => {
  const { queue, consumer } = consumerOf(["all", "one"]);
  let [made, saved, most] = [0, 0, 0];
  const many = flatMap(function* (body: string) {
    for (let index = 0; index < (body === "all" ? 20_000 : 1); index++) {
      made++;
      most = Math.max(most, made - saved);
      yield index;
    }
  });
  await workThrough(queue, consumer, perMessage(many), async (outputs) => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    saved += outputs.length;
  });
  assertEquals(saved, 20_001);
  assert(most < 1_000, `${most} outputs were held`);
});

// One kind of stage each, by what it takes and gives; numbers say which message it fails at.
type Step = readonly [kind: string, seed: number];
const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom(
    ...["map", "async", "filter", "drop", "split", "splitLate", "batch", "lines", "parallel"],
    ...["fail", "failLate", "failFlush", "late"],
  ),
  fc.nat(9),
);
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
const isHit = (text: string, seed: number) => text.includes(`${seed}`);

function toStage([kind, seed]: Step): Transformer<string, string> {
  switch (kind) {
    case "map":
      return map((text: string) => `${text}${seed}`);
    case "async":
      return map(async (text: string) => {
        if (seed > 5) await pause();
        return `${text}.`;
      });
    case "filter":
      return filter((text: string) => !isHit(text, seed));
    case "drop":
      return filter(() => false);
    case "split":
      return flatMap((text: string) => [...text].slice(0, 5));
    case "splitLate":
      return flatMap(async function* (text: string) {
        for (const letter of text.slice(0, 3)) {
          if (seed > 5) await pause();
          yield letter;
        }
      });
    case "lines":
      return lines() as Transformer<string, string>;
    case "parallel":
      return parallel(async (text: string) => {
        await pause();
        return text;
      }, { concurrency: 1 + seed });
    case "fail":
      return map((text: string) => {
        if (isHit(text, seed)) throw seed > 4 ? new Error("fail") : undefined;
        return text;
      });
    case "failLate":
      return map(async (text: string) => {
        await pause();
        if (isHit(text, seed)) throw new Error("late");
        return text;
      });
    case "failFlush":
      return {
        transform: (text, controller) => controller.enqueue(text),
        flush() {
          if (seed === 0) throw new Error("flush");
        },
      };
    case "late":
      return holdAll();
    default:
      return compose(batch<string>(1 + seed), map((texts: string[]) => texts.join("+")));
  }
}

/** Gives all it has at the end. */
function holdAll(): Transformer<string, string> {
  const held = new WeakMap<object, string[]>();
  return {
    transform: (text, controller) =>
      void held.set(controller, [...held.get(controller) ?? [], text]),
    async flush(controller) {
      await pause();
      for (const text of held.get(controller) ?? []) controller.enqueue(text);
    },
  };
}

/** What a chain of native streams makes of one message, or that it fails. */
async function expected(steps: readonly Step[], body: string): Promise<string[] | "failed"> {
  let stream = new ReadableStream<string>({
    start(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
  for (const step of steps) stream = stream.pipeThrough(new TransformStream(toStage(step)));
  try {
    return await Array.fromAsync(stream);
  } catch {
    return "failed";
  }
}

test("over random chains a message is acknowledged exactly when its last output is stored", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 6 }),
      fc.array(fc.stringMatching(/^[0-9a-c\n]{0,8}$/), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, bodies, concurrency, batchSize, writes) => {
        const wanted = await Promise.all(bodies.map((body) => expected(steps, body)));
        const { queue, consumer } = consumerOf(bodies, { maxFailures: 1 });
        const saved = bodies.map(() => new Map<number, string>());
        queue.onAck = (id) => {
          const want = wanted[Number(id)];
          assert(want !== "failed", `${id} has failed, and is acknowledged`);
          const have = saved[Number(id)]!;
          assertEquals(Array.from(want!, (_, index) => have.get(index)), want, `of ${id}`);
        };
        let problem: { error: unknown } | undefined;
        const { ack } = queue;
        queue.ack = async (receipts) => {
          try {
            await ack.call(queue, receipts);
          } catch (error) {
            // The consumer would ask again and again.
            problem = { error };
            for (const { id } of receipts) queue.entries.delete(id);
          }
        };
        const [first, ...rest] = steps.map(toStage);
        const stage = first === undefined
          ? perMessage<string>({ concurrency })
          : (perMessage as (...stages: unknown[]) => Transformer<never, Output<string>>)(
            ...[first, ...rest, { concurrency }],
          );
        await workThrough(
          queue,
          consumer,
          stage as Transformer<unknown, Output<string>>,
          async (outputs: readonly Output<string>[]) => {
            await Promise.resolve();
            for (const { message, index, value } of outputs) {
              saved[Number(message.id)]!.set(index, value);
            }
          },
          { batchSize, maxWaitMs: 0, concurrency: writes },
        );
        if (problem !== undefined) throw problem.error;
        const failed = bodies.map((_, index) => `${index}`)
          .filter((id) => wanted[Number(id)] === "failed");
        assertEquals(queue.dead.map(([id]) => id).toSorted(), failed);
        assertEquals(queue.acknowledged.length + failed.length, bodies.length);
        assertEquals(consumer.counts.inFlight, 0);
      },
    ),
    { numRuns: draws(120) },
  );
});
