import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { lines, map, parseNdjson, pipeline, split, toArray } from "@hosepipe/streams";
import { range } from "../lib/range.ts";

// A huge chunk gives up its turn inside: the clock is the test's, and moves at each look by less than a slice is dear.

const lineCount = 20_000;
const msPerLook = 0.4;
/** A turn is 8 ms, and the clock is looked at every 128 chunks at most. */
const mostInOneTurn = (8 / msPerLook + 2) * 128;

const texts = range(lineCount).map((n) => `{"n":${n}}`);
const text = texts.join("\n") + "\n";
const bytes = new TextEncoder().encode(text);
const values = range(lineCount).map((n) => ({ n }));

const decoder = new TextDecoder();
const toText = (value: unknown): string =>
  value instanceof Uint8Array ? decoder.decode(value) : JSON.stringify(value);

/** Runs, and counts what passes between two turns of the event loop. */
async function perTurn(run: (pass: () => void) => Promise<unknown>): Promise<number[]> {
  const counts = [0];
  const { now } = performance;
  let nowMs = 1_000;
  performance.now = () => nowMs += msPerLook;
  let isOver = false;
  const look = (): void => {
    if (isOver) return;
    counts.push(0);
    setImmediate(look);
  };
  setImmediate(look);
  try {
    await run(() => void counts[counts.length - 1]!++);
    return counts;
  } finally {
    isOver = true;
    performance.now = now;
  }
}

// deno-lint-ignore no-explicit-any -- of any chunk types
const stages: Record<string, { make: () => any; input: unknown; output: unknown[] }> = {
  "lines of text": { make: lines, input: text, output: texts },
  "lines of bytes": { make: lines, input: bytes, output: texts },
  "split of text": { make: () => split("\n"), input: text, output: texts },
  "split of bytes": {
    make: () => split("\n"),
    input: bytes,
    output: texts.map((line) => new TextEncoder().encode(line)),
  },
  "parseNdjson": { make: parseNdjson, input: bytes, output: values },
};

for (const [name, { make, input, output }] of Object.entries(stages)) {
  test(`${name}: one huge chunk leaves the event loop its turns, and loses nothing`, async () => {
    const sources: Record<string, () => Iterable<unknown> | AsyncIterable<unknown>> = {
      "an array": () => [input],
      "a generator": async function* () {
        yield input;
      },
    };
    for (const [sourceName, source] of Object.entries(sources)) {
      const got: unknown[] = [];
      const sinks: Record<string, (pass: () => void) => Promise<unknown>> = {
        "into a sink": (pass) =>
          pipeline(source(), make(), (chunk: unknown) => {
            pass();
            got.push(chunk);
          }),
        "after and before others": (pass) =>
          pipeline(
            source(),
            map((chunk: unknown) => chunk),
            make(),
            map((chunk: unknown) => {
              pass();
              return chunk;
            }),
            (chunk: unknown) => void got.push(chunk),
          ),
        "into a sink that waits": (pass) =>
          pipeline(source(), make(), (chunk: unknown) => {
            pass();
            got.push(chunk);
            if (got.length % 1_000 === 0) return Promise.resolve();
          }),
      };
      for (const [sinkName, run] of Object.entries(sinks)) {
        got.length = 0;
        const counts = await perTurn(run);
        const title = `${sourceName} ${sinkName}`;
        // As one text: to compare so many values takes long.
        assertEquals(got.map(toText).join(), output.map(toText).join(), title);
        const most = Math.max(...counts);
        assert(most <= mostInOneTurn, `${title}: ${most} in one turn`);
      }
    }
  });
}

test("a huge chunk whose memory the source uses again meanwhile is split as it was", async () => {
  for (const make of [() => lines(), () => split("\n")]) {
    const source = function* () {
      const buffer = bytes.slice();
      yield buffer;
      buffer.fill(65);
    };
    const got: unknown[] = [];
    await perTurn(async () => {
      const run = pipeline(source(), map((chunk: Uint8Array) => chunk), make(), (part: unknown) => {
        got.push(typeof part === "string" ? part : decoder.decode(part as Uint8Array));
      });
      await run;
    });
    assertEquals(got, texts);
  }
});

test("a run that ends within a huge chunk stops splitting it", async () => {
  const stop = new AbortController();
  const reason = new Error("enough");
  let count = 0;
  await perTurn(async (pass) => {
    const run = pipeline([text], lines(), map((line: string) => line), () => {
      pass();
      if (++count === 100) stop.abort(reason);
    }, { signal: stop.signal });
    assertEquals(await run.catch((error) => error), reason);
  });
  assert(count < lineCount);
});

test("what is cut anywhere between huge chunks gives the same lines", async () => {
  for (const cut of [1, 262_143, 262_144, 262_145, bytes.length - 1, bytes.length]) {
    const parts = [bytes.slice(0, cut), bytes.slice(cut)];
    assertEquals(await toArray(parts, lines()), texts, `cut at ${cut}`);
  }
});
