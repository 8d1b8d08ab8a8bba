import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  changes,
  compose,
  distinct,
  encode,
  intersperse,
  map,
  pairwise,
  scan,
  sliding,
  stage,
  takeLast,
  type Transformer,
} from "@hosepipe/streams";
import { endingSource } from "../lib/counted_source.ts";
import { checkPrograms, programWays, runProgram } from "../lib/programs.ts";
import { errorOf } from "../lib/error_of.ts";
import { microtasks } from "../lib/microtasks.ts";
import { turns } from "../lib/turns.ts";

/** What a program's functions do with a chunk, and the numbers that its stage is made with. */
interface Settings {
  readonly size: number;
  readonly step: number;
  /** At which call the function fails, if at any. */
  readonly failsAt: number | null;
  /** After how many microtasks it answers; 0: at once. */
  readonly wait: number;
}

/** A stage, and the same as a generator over what came before. */
interface Subject {
  readonly make: (settings: Settings) => Transformer<number, unknown>;
  readonly model: (source: Iterable<number>, settings: Settings) => Iterable<unknown>;
}

/** A function that answers as the settings say; each program makes one. */
function callOf<T>({ failsAt, wait }: Settings, fn: (...chunks: number[]) => T) {
  let calls = 0;
  const call = (...chunks: number[]): T => {
    if (calls++ === failsAt) throw "call";
    return fn(...chunks);
  };
  return {
    now: call,
    asked: (...chunks: number[]): T =>
      wait === 0 ? call(...chunks) : microtasks(wait).then(() => call(...chunks)) as never,
  };
}

const keyOf = (n: number) => n % 5;
const texts = ["", "a", "\ud83d", "\ude00", "😀 ü", "日本語", "\r\n", "long text that is cut"];
const textOf = (n: number) => texts[n % texts.length]!;

const subjects: Record<string, Subject> = {
  "changes": {
    make: (settings) => {
      const { asked } = callOf(settings, keyOf);
      return changes((n: number) => asked(n));
    },
    *model(source, settings) {
      const { now } = callOf(settings, keyOf);
      let last: number | undefined;
      for (const n of source) {
        const key = now(n);
        if (key !== last) yield n;
        last = key;
      }
    },
  },
  "distinct, that fails": {
    make: (settings) => {
      const { asked } = callOf(settings, keyOf);
      return distinct({ key: (n: number) => asked(n), maxKeys: settings.size });
    },
    *model(source, settings) {
      const { now } = callOf(settings, keyOf);
      const known = new Set<number>();
      for (const n of source) {
        const key = now(n);
        if (known.has(key)) continue;
        if (known.size === settings.size) throw "limit";
        known.add(key);
        yield n;
      }
    },
  },
  "distinct, that forgets": {
    make: (settings) => {
      const { asked } = callOf(settings, keyOf);
      const maxKeys = settings.size;
      return distinct({ key: (n: number) => asked(n), maxKeys, atLimit: "forgetOldest" });
    },
    *model(source, settings) {
      const { now } = callOf(settings, keyOf);
      let known: number[] = [];
      for (const n of source) {
        const key = now(n);
        if (known.includes(key)) continue;
        known = [...known, key].slice(-settings.size);
        yield n;
      }
    },
  },
  "takeLast": {
    make: ({ size }) => takeLast(size - 1),
    *model(source, { size }) {
      const all = [...source];
      yield* all.slice(Math.max(0, all.length + 1 - size));
    },
  },
  "changes, by a comparer": {
    make: (settings) => {
      const { now } = callOf(settings, (a, b) => keyOf(a!) === keyOf(b!));
      return changes({ equals: now });
    },
    *model(source, settings) {
      const { now } = callOf(settings, (a, b) => keyOf(a!) === keyOf(b!));
      let last: [number] | undefined;
      for (const n of source) {
        if (last !== undefined && now(last[0], n)) continue;
        last = [n];
        yield n;
      }
    },
  },
  "distinct, by a comparer": {
    make: (settings) => {
      const { now } = callOf(settings, (a, b) => keyOf(a!) === keyOf(b!));
      return distinct({ equals: now, maxKeys: settings.size, atLimit: "forgetOldest" });
    },
    *model(source, settings) {
      const { now } = callOf(settings, (a, b) => keyOf(a!) === keyOf(b!));
      let known: number[] = [];
      for (const n of source) {
        if (known.some((other) => now(other, n))) continue;
        known = [...known, n].slice(-settings.size);
        yield n;
      }
    },
  },
  "pairwise": {
    make: () => pairwise(),
    *model(source) {
      let last: [number] | undefined;
      for (const n of source) {
        if (last !== undefined) yield [last[0], n];
        last = [n];
      }
    },
  },
  "sliding": {
    make: ({ size, step }) => sliding(size, step),
    *model(source, { size, step }) {
      const seen: number[] = [];
      for (const n of source) {
        seen.push(n);
        const from = seen.length - size;
        if (from >= 0 && from % step === 0) yield seen.slice(from);
      }
    },
  },
  "scan without a seed": {
    make: (settings) => {
      const { asked } = callOf(settings, (sum, n) => sum! * 2 + n!);
      return scan((sum: number, n: number) => asked(sum, n));
    },
    *model(source, settings) {
      const { now } = callOf(settings, (sum, n) => sum! * 2 + n!);
      let sum: [number] | undefined;
      for (const n of source) {
        sum = [sum === undefined ? n : now(sum[0], n)];
        yield sum[0];
      }
    },
  },
  "intersperse": {
    make: ({ size }) => stageOfText(intersperse("-".repeat(size))),
    *model(source, { size }) {
      let isFirst = true;
      for (const n of source) {
        yield isFirst ? textOf(n) : "-".repeat(size) + textOf(n);
        isFirst = false;
      }
    },
  },
  "encode": {
    make: ({ size }) => stageOfText(encode({ size: size + 3 })),
    *model(source, { size }) {
      const encoder = new TextEncoder();
      const room = size + 3;
      let text = "";
      // As many characters as have room.
      const takeBlock = () => {
        let taken = "";
        for (const character of text) {
          if (encoder.encode(taken + character).length > room) break;
          taken += character;
        }
        text = text.slice(taken.length);
        return encoder.encode(taken);
      };
      for (const n of source) {
        text += textOf(n);
        while (text.length > room || text.length === room && !/[\ud800-\udbff]$/.test(text)) {
          yield takeBlock();
        }
      }
      while (text !== "") yield takeBlock();
    },
  },
  "a generator": {
    make: (settings) => {
      const { asked } = callOf(settings, (n) => n! * 10);
      return stage(async function* (source: AsyncIterable<number>) {
        let held: number[] = [];
        for await (const n of source) {
          held.push(await asked(n));
          if (n === 13) return;
          if (held.length < settings.size) continue;
          yield* held;
          held = [];
        }
        yield* held;
      });
    },
    *model(source, settings) {
      const { now } = callOf(settings, (n) => n! * 10);
      let held: number[] = [];
      for (const n of source) {
        held.push(now(n));
        if (n === 13) return;
        if (held.length < settings.size) continue;
        yield* held;
        held = [];
      }
      yield* held;
    },
  },
};

/** A stage of text where the programs give numbers. */
function stageOfText<O>(of: Transformer<string, O>): Transformer<number, unknown> {
  return compose(map(textOf), of);
}

const programs = fc.record({
  chunks: fc.array(fc.nat(14), { maxLength: 14 }),
  settings: fc.record({
    size: fc.integer({ min: 1, max: 4 }),
    step: fc.integer({ min: 1, max: 4 }),
    failsAt: fc.option(fc.nat(10)),
    wait: fc.nat(3),
  }),
  way: fc.constantFrom(...programWays),
  takes: fc.option(fc.nat(10)),
  sourceFailsAt: fc.option(fc.nat(14)),
  sinkFailsAt: fc.option(fc.nat(10)),
  sinkWait: fc.nat(2),
});

for (const [name, { make, model }] of Object.entries(subjects)) {
  test(`${name} gives what a generator over a list gives, over random programs`, async () => {
    await checkPrograms(
      fc.asyncProperty(programs, async (program) => {
        const { chunks, settings, way, takes, sourceFailsAt, sinkFailsAt, sinkWait } = program;
        function* failing() {
          for (const [index, n] of chunks.entries()) {
            if (index === sourceFailsAt) throw "source";
            yield n;
          }
          if (sourceFailsAt === chunks.length) throw "source";
        }
        const expected: unknown[] = [];
        let failure: unknown = "none";
        try {
          if (takes !== 0) {
            for (const chunk of model(failing(), settings)) {
              if (expected.length === sinkFailsAt) throw "sink";
              expected.push(chunk);
              if (expected.length === takes) break;
            }
          }
        } catch (reason) {
          failure = reason;
        }

        const ended = endingSource(chunks, sourceFailsAt);
        const out: unknown[] = [];
        const sink = (chunk: unknown) => {
          if (out.length === sinkFailsAt) throw "sink";
          out.push(chunk);
          if (sinkWait > 0) return microtasks(sinkWait);
        };
        const made = make(settings);
        const given = await errorOf(runProgram(way, ended.source, made, takes, sink));
        await turns(0);
        const seen = given === "none" ? given : given[0] instanceof RangeError ? "limit" : given[0];
        // Between native streams something is read ahead, and what fails there drops what waits.
        const mayLose = way !== "pipeline" && (failure !== "none" || expected.length === takes);
        if (!mayLose) assertEquals([out, seen], [expected, failure]);
        else {
          assertEquals(out, expected.slice(0, out.length));
          assert(seen !== "none" || out.length === takes);
        }
        if (takes !== 0 || chunks.length > 0) {
          if (way === "pipeline") assertEquals(ended.closed, 1);
        }
      }),
    );
  });
}
