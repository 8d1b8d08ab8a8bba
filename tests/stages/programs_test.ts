import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  attempt,
  type AttemptOptions,
  batch,
  changes,
  compose,
  distinct,
  encode,
  expand,
  filter,
  flatMap,
  groupBy,
  intersperse,
  map,
  pairwise,
  parallel,
  scan,
  sliding,
  stage,
  takeLast,
  tap,
} from "@hosepipe/streams";
import { endingSource } from "../lib/counted_source.ts";
import { checkPrograms, programWays, runProgram } from "../lib/programs.ts";
import { errorOf } from "../lib/error_of.ts";
import { microtasks } from "../lib/microtasks.ts";
import { turns } from "../lib/turns.ts";
import { withNotedTimers } from "../lib/with_noted_timers.ts";

/** What a program's functions do with a chunk, and the numbers that its stage is made with. */
interface Settings {
  readonly size: number;
  readonly step: number;
  /** At which call the function fails, if at any. */
  readonly failsAt: number | null;
  /** After how many microtasks it answers; 0: at once. */
  readonly wait: number;
}

/** A stage whose calls are looked at. */
interface Made {
  readonly stage: Transformer<number, unknown>;
  /** Asserts what must hold once the run is over. */
  readonly check: () => void;
}

/** A stage, and the same as a generator over what came before. */
interface Subject {
  readonly make: (settings: Settings) => Transformer<number, unknown> | Made;
  readonly model: (source: Iterable<number>, settings: Settings) => Iterable<unknown>;
  /**
   * Whether a part of it works on a later chunk meanwhile and may fail before the others do, or its calls do, of which
   * all that have begun are delivered.
   */
  readonly ahead?: "parts" | "calls";
  /** What those chunks have in common that keep their order among each other; default: all do. */
  readonly keyOf?: (chunk: never) => unknown;
  /** Whether its timers are to be microtasks. */
  readonly hasQuickTimers?: boolean;
}

/** Counts what is open at a time. */
class Gauge {
  #opened = 0;
  #closed = 0;
  #most = 0;

  open(): void {
    this.#opened++;
    this.#most = Math.max(this.#most, this.#opened - this.#closed);
  }

  close(): void {
    this.#closed++;
  }

  check(most: number): void {
    assert(this.#most <= most, `${this.#most} at a time`);
    assertEquals(this.#closed, this.#opened);
  }
}

/** Chunks as an array, a generator, an asynchronous one or a promise of an array; `fail` fails after the first one. */
function given(kind: number, items: number[], wait: number, gauge: Gauge, fail?: () => never) {
  const generate = function* () {
    gauge.open();
    try {
      yield* items.slice(0, 1);
      fail?.();
      yield* items.slice(1);
    } finally {
      gauge.close();
    }
  };
  if (kind % 2 === 0) fail?.();
  if (kind === 0) return items;
  if (kind === 1) return generate();
  if (kind === 2) return microtasks(wait).then(() => items) as never;
  return (async function* () {
    for (const item of generate()) {
      await microtasks(wait);
      yield item;
    }
  })();
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

/** Gives none to three chunks of each, each in its own way. */
function flatMapOf(ordered: boolean): Subject {
  const itemsOf = (n: number, index: number) =>
    Array.from({ length: n % 4 }, (_, at) => index * 4 + at);
  return {
    ahead: "calls",
    make({ size, step, failsAt, wait }) {
      const gauge = new Gauge();
      const concurrency = size + 1;
      const fail = (): never => {
        throw "call";
      };
      const fn = (n: number, index: number) =>
        given(
          (index + step) % 4,
          itemsOf(n, index),
          wait,
          gauge,
          index === failsAt ? fail : undefined,
        );
      return {
        stage: flatMap(fn, { concurrency, ordered }),
        check: () => gauge.check(concurrency),
      };
    },
    *model(source, { step, failsAt }) {
      let index = 0;
      for (const n of source) {
        const items = itemsOf(n, index);
        if (index === failsAt) {
          if ((index + step) % 2 === 1) yield* items.slice(0, 1);
          throw "call";
        }
        yield* items;
        index++;
      }
    },
  };
}

/** Gives the index of each, several at a time, but one of a key. */
function parallelOf(ordered: boolean): Subject {
  return {
    ahead: "parts",
    make({ size, failsAt, wait }) {
      const gauges = [0, 1, 2, 3].map(() => new Gauge());
      const begun: number[][] = [[], [], []];
      const call = async (n: number, index: number) => {
        const [all, own] = [gauges[3]!, gauges[n % 3]!];
        begun[n % 3]!.push(index);
        all.open();
        own.open();
        await microtasks(wait * (n % 4));
        all.close();
        own.close();
        if (index === failsAt) throw "call";
        return index;
      };
      return {
        stage: parallel(call, { concurrency: size, ordered, key: (n: number) => n % 3 }),
        check() {
          for (const [key, gauge] of gauges.entries()) gauge.check(key === 3 ? size : 1);
          for (const indexes of begun) assertEquals(indexes, indexes.toSorted((a, b) => a - b));
        },
      };
    },
    *model(source, { failsAt }) {
      let index = 0;
      for (const _ of source) {
        if (index === failsAt) throw "call";
        yield index++;
      }
    },
  };
}

/** Gives a tree of each chunk. */
function expandOf(isDistinct: boolean): Subject {
  const childrenOf = (n: number) => n >= 30 ? [] : [n + 15, n + 15, n + 16].slice(0, n % 4);
  return {
    ahead: "parts",
    keyOf: (n: number) => n,
    make({ size, step, failsAt, wait }) {
      const gauge = new Gauge();
      const fn = (n: number, index: number) => {
        if (n === failsAt) throw "call";
        return given((index + step) % 4, childrenOf(n), wait, gauge);
      };
      const distinct = isDistinct ? {} : undefined;
      return { stage: expand(fn, { concurrency: size, distinct }), check: () => gauge.check(size) };
    },
    *model(source, { failsAt }) {
      const known = new Set<number>();
      for (const root of source) {
        const pending = [root];
        for (const n of pending) {
          if (isDistinct && known.has(n)) continue;
          known.add(n);
          yield n;
          if (n === failsAt) throw "call";
          pending.push(...childrenOf(n));
        }
      }
    },
  };
}

/** Fails so often with each chunk, and then has it skipped, replaced or failed. */
function attemptOf(
  make: (
    call: (n: number, index: number) => number | Promise<number>,
    options: AttemptOptions<number, number>,
  ) => Transformer<number, number>,
): Subject {
  return {
    hasQuickTimers: true,
    make({ size, failsAt, wait }) {
      const calls = new Map<number, number>();
      const call = (n: number, index: number): number | Promise<number> => {
        const count = (calls.get(index) ?? 0) + 1;
        calls.set(index, count);
        const answer = () => {
          if (count <= n % 5) throw "call";
          return n;
        };
        return wait === 0 ? answer() : microtasks(wait).then(answer);
      };
      const onError = (_: unknown, n: number) => {
        const answer = n === failsAt ? "fail" : n % 2 === 0 ? "skip" : { chunk: -n };
        return wait > 1 ? Promise.resolve(answer) : answer;
      };
      return {
        stage: make(call, { attempts: size, delayMs: 0, onError }),
        check: () => assert([...calls.values()].every((count) => count <= size)),
      };
    },
    *model(source, { size, failsAt }) {
      for (const n of source) {
        if (n % 5 < size) yield n;
        else if (n === failsAt) throw "call";
        else if (n % 2 === 1) yield -n;
      }
    },
  };
}

/** A stage of a function, which fails as the settings say; the model calls it at once. */
function calling<T>(
  fn: (...chunks: number[]) => T,
  make: (asked: (...chunks: number[]) => T, settings: Settings) => Transformer<number, unknown>,
  model: (
    source: Iterable<number>,
    now: (...chunks: number[]) => T,
    settings: Settings,
  ) => Iterable<unknown>,
): Subject {
  return {
    make: (settings) => make(callOf(settings, fn).asked, settings),
    model: (source, settings) => model(source, callOf(settings, fn).now, settings),
  };
}

/** A stage that compares, whose function may not be a promise. */
function comparing(
  make: (
    equals: (a: number, b: number) => boolean,
    settings: Settings,
  ) => Transformer<number, unknown>,
  model: Parameters<typeof calling<boolean>>[2],
): Subject {
  const fn = (a?: number, b?: number) => keyOf(a!) === keyOf(b!);
  const atOnce = (settings: Settings) => ({ ...settings, wait: 0 });
  const { make: makeStage, ...rest } = calling(fn, make, model);
  return { ...rest, make: (settings) => makeStage(atOnce(settings)) };
}

const subjects: Record<string, Subject> = {
  "changes": calling(keyOf, (asked) => changes((n: number) => asked(n)), function* (source, now) {
    let last: number | undefined;
    for (const n of source) {
      const key = now(n);
      if (key !== last) yield n;
      last = key;
    }
  }),
  "changes, by a comparer": comparing((equals) => changes({ equals }), function* (source, now) {
    let last: [number] | undefined;
    for (const n of source) {
      if (last !== undefined && now(last[0], n)) continue;
      last = [n];
      yield n;
    }
  }),
  "distinct, that fails": calling(
    keyOf,
    (asked, { size }) => distinct({ key: (n: number) => asked(n), maxKeys: size }),
    function* (source, now, { size }) {
      const known = new Set<number>();
      for (const n of source) {
        const key = now(n);
        if (known.has(key)) continue;
        if (known.size === size) throw "limit";
        known.add(key);
        yield n;
      }
    },
  ),
  "distinct, that forgets": calling(
    keyOf,
    (asked, { size }) =>
      distinct({ key: (n: number) => asked(n), maxKeys: size, atLimit: "forgetOldest" }),
    function* (source, now, { size }) {
      let known: number[] = [];
      for (const n of source) {
        const key = now(n);
        if (known.includes(key)) continue;
        known = [...known, key].slice(-size);
        yield n;
      }
    },
  ),
  "distinct, by a comparer": comparing(
    (equals, { size }) => distinct({ equals, maxKeys: size, atLimit: "forgetOldest" }),
    function* (source, now, { size }) {
      let known: number[] = [];
      for (const n of source) {
        if (known.some((other) => now(other, n))) continue;
        known = [...known, n].slice(-size);
        yield n;
      }
    },
  ),
  "scan without a seed": calling(
    (sum, n) => sum! * 2 + n!,
    (asked) => scan((sum: number, n: number) => asked(sum, n)),
    function* (source, now) {
      let sum: [number] | undefined;
      for (const n of source) {
        sum = [sum === undefined ? n : now(sum[0], n)];
        yield sum[0];
      }
    },
  ),
  "takeLast": {
    make: ({ size }) => takeLast(size - 1),
    *model(source, { size }) {
      const all = [...source];
      yield* all.slice(Math.max(0, all.length + 1 - size));
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
  "a generator": calling(
    (n) => n! * 10,
    (asked, { size }) =>
      stage(async function* (source: AsyncIterable<number>) {
        let held: number[] = [];
        for await (const n of source) {
          held.push(await asked(n));
          if (n === 13) return;
          if (held.length < size) continue;
          yield* held;
          held = [];
        }
        yield* held;
      }),
    function* (source, now, { size }) {
      let held: number[] = [];
      for (const n of source) {
        held.push(now(n));
        if (n === 13) return;
        if (held.length < size) continue;
        yield* held;
        held = [];
      }
      yield* held;
    },
  ),
  "generators in a row": {
    ahead: "parts",
    make: (settings) => {
      const { asked } = callOf(settings, (n) => n!);
      const framed = (call: (n: number) => number) =>
        async function* (source: AsyncIterable<number>) {
          if (settings.step > 2) yield 100;
          for await (const n of source) {
            for (let copy = 1; copy < settings.size; copy++) yield await call(n);
            if (n === 13) return;
          }
          yield 200;
        };
      return compose(framed((n) => n), framed((n) => asked(n)), framed((n) => n));
    },
    model(source, settings) {
      const { now } = callOf(settings, (n) => n!);
      function* framed(before: Iterable<number>, call: (n: number) => number): Iterable<number> {
        if (settings.step > 2) yield 100;
        for (const n of before) {
          for (let copy = 1; copy < settings.size; copy++) yield call(n);
          if (n === 13) return;
        }
        yield 200;
      }
      return framed(framed(framed(source, (n) => n), now), (n) => n);
    },
  },
  "flatMap, several at a time": flatMapOf(true),
  "flatMap, several at a time, unordered": {
    ...flatMapOf(false),
    ahead: "parts",
    keyOf: (n: number) => n >> 2,
  },
  "parallel, keys": parallelOf(true),
  "parallel, keys, unordered": { ...parallelOf(false), keyOf: (n: number) => n },
  "expand": expandOf(false),
  "expand, distinct": expandOf(true),
  "groupBy": {
    ahead: "parts",
    keyOf: (n: number) => n % 5,
    make({ size, step, failsAt, wait }) {
      const gauge = new Gauge();
      const counting = () =>
        stage<number, number>({
          start: () => gauge.open(),
          transform: (chunk, controller) => controller.enqueue(chunk),
          flush: () => gauge.close(),
          cancel: () => gauge.close(),
        });
      const call = (n: number) => {
        if (n === failsAt) throw "call";
        return [n, n].slice(0, step % 3);
      };
      const later = async (n: number) => (await microtasks(wait * (n % 3)), call(n));
      const made = [
        () => flatMap(call),
        () => flatMap(later),
        () => compose(parallel(later, { concurrency: 2 }), flatMap((all) => all)),
        () => compose(map(later), batch<number[]>(2), flatMap((all) => all.flat())),
      ][step - 1]!;
      return {
        stage: groupBy(keyOf, () => compose(counting(), made()), { maxKeys: size }),
        check: () => gauge.check(size),
      };
    },
    *model(source, { step, failsAt }) {
      for (const n of source) {
        if (n === failsAt) throw "call";
        yield* [n, n].slice(0, step % 3);
      }
    },
  },
  "attempt of a function": attemptOf((call, options) => attempt(call, options)),
  "attempt of stages": attemptOf((call, options) =>
    attempt(compose(tap(() => {}), map(call), filter(() => Promise.resolve(true))), options)
  ),
  "attempt of an attempt": attemptOf((call, options) =>
    attempt(attempt(call, { ...options, onError: () => "fail" }), { ...options, attempts: 1 })
  ),
  "attempt of parallel": {
    ...attemptOf((call, options) => attempt(parallel(call, { concurrency: 3 }), options)),
    ahead: "parts",
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

/** The chunks of each key, in their order. */
function byKey(chunks: readonly unknown[], keyOf: Subject["keyOf"] = () => 0) {
  return Map.groupBy(chunks, keyOf as (chunk: unknown) => unknown);
}

for (const [name, { make, model, ahead, keyOf, hasQuickTimers }] of Object.entries(subjects)) {
  const property = fc.asyncProperty(programs, async (program) => {
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
    const stage = "check" in made ? made.stage : made;
    const given = await errorOf(runProgram(way, ended.source, stage, takes, sink));
    await turns("check" in made && !hasQuickTimers ? 1 : 0);
    if ("check" in made) made.check();
    const seen = given === "none" ? given : given[0] instanceof RangeError ? "limit" : given[0];
    const mayFail = sourceFailsAt !== null || settings.failsAt !== null;
    const isCut = takes !== null || sinkFailsAt !== null;
    // Between native streams something is read ahead, and what fails there drops what waits.
    const mayLose = ahead === "parts" && mayFail || ahead === "calls" && mayFail && isCut ||
      way !== "pipeline" && (failure !== "none" || expected.length === takes);
    const isFreeOrder = keyOf !== undefined && (mayLose || isCut);
    const whole = isFreeOrder ? [...model(chunks, { ...settings, failsAt: null })] : expected;
    const wholeByKey = byKey(whole, keyOf);
    for (const [key, own] of byKey(out, keyOf)) {
      assertEquals(own, wholeByKey.get(key)?.slice(0, own.length));
    }
    if (!mayLose) assertEquals([out.length, seen], [expected.length, failure]);
    else assert(seen !== "none" || out.length === takes || out.length === expected.length);
    if (way === "pipeline" && (takes !== 0 || chunks.length > 0)) assertEquals(ended.closed, 1);
  });
  test(`${name} gives what a generator over a list gives, over random programs`, async () => {
    if (!hasQuickTimers) return await checkPrograms(property);
    await withNotedTimers(
      () => checkPrograms(property),
      (_, callback) => queueMicrotask(callback),
    );
  });
}
