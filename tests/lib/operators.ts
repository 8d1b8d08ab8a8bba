import {
  attempt,
  batch,
  batchBy,
  changes,
  compose,
  distinct,
  drop,
  dropWhile,
  encode,
  expand,
  filter,
  flatMap,
  formatNdjson,
  groupBy,
  intersperse,
  limitBytes,
  limitRate,
  lines,
  map,
  pairwise,
  parallel,
  parseNdjson,
  rechunk,
  scan,
  sliding,
  split,
  stage,
  take,
  takeUntil,
  takeWhile,
  tap,
} from "@hosepipe/streams";
import { formatCsv, formatSse, parseCsv, parseSse } from "@hosepipe/streams/formats";
import type { Operator, Stage } from "./operator.ts";

const itself = (n: number): unknown => n;
const concurrency = 4;
const pooled = { readAhead: concurrency, isAsync: true };

const passing: Stage = {
  transform(chunk, controller) {
    controller.enqueue(chunk);
  },
};

async function* passEach(source: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const chunk of source) yield chunk;
}

/** The length of a chunk's text; of what has none, such as a symbol in an array, 0. */
function lengthOf(chunk: unknown): number {
  try {
    return String(chunk).length;
  } catch {
    return 0;
  }
}

function row(
  name: string,
  make: Operator["make"],
  rest: Partial<Omit<Operator, "name" | "make">> = {},
): Operator {
  return {
    ...{ name, make, input: itself, output: itself },
    ...{ keepsOrder: true, readAhead: 0, isAsync: false },
    ...rest,
  };
}

type Controller = TransformStreamDefaultController<unknown>;

/** Gives a chunk before all others. */
function startWith(first: unknown): Stage {
  return {
    start: (controller) => controller.enqueue(first),
    transform: (chunk, controller) => controller.enqueue(chunk),
  };
}

/** Bytes for a stage where the table gives text; each stream of it keeps one controller. */
function rechunkText(byteLength: number): Stage {
  const { transform, flush } = rechunk(byteLength);
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  const controllers = new WeakMap<Controller, TransformStreamDefaultController<Uint8Array>>();
  const ofBytes = (controller: Controller) => {
    const enqueue = (bytes: Uint8Array) => controller.enqueue(decoder.decode(bytes));
    const known = controllers.get(controller) ??
      { enqueue } as TransformStreamDefaultController<Uint8Array>;
    controllers.set(controller, known);
    return known;
  };
  return {
    transform: (chunk, controller) =>
      transform!(encoder.encode(String(chunk)), ofBytes(controller)),
    flush: (controller) => flush!(ofBytes(controller)),
  };
}

/** Text of any chunk for a stage that takes text alone, and makes text again. */
function encodeText(size: number): Stage {
  return compose(
    map((chunk: unknown) => lengthOf(chunk) > 0 ? String(chunk) : "none"),
    encode({ size }),
    map((block: Uint8Array) => new TextDecoder().decode(block)),
  ) as Stage;
}

/** Lines of numbers for a stage where the table gives any text. */
function parseDigits(): Stage {
  const { transform, flush } = parseNdjson();
  return {
    transform: (chunk, controller) =>
      transform!(`1${String(chunk).replace(/[^\d\n]/g, "")}`, controller),
    flush,
  };
}

/** Rows of one field for a stage where the table gives any text. */
function formatTexts(): Stage {
  const { transform, flush } = formatCsv();
  return {
    transform: (chunk, controller) =>
      transform!([String(chunk)], controller as TransformStreamDefaultController<string>),
    flush: (controller) => flush!(controller as TransformStreamDefaultController<string>),
  };
}

/**
 * Every stage that the package exports and a few by hand, each once for every way in which its function may answer:
 * what `tests/laws`, `tests/fuse` and `tests/node_compat` run through.
 */
export const operators: readonly Operator[] = [
  row("attempt", () => attempt((chunk) => chunk, { attempts: 1 }), {
    makeStateful: () => attempt(map((chunk, index) => `${chunk}${index}\n`), { attempts: 1 }),
    makeRandom: ({ size, call, text }) =>
      attempt((chunk) => call(chunk, (_, fail) => (fail(), `${text(chunk)}a`)), {
        attempts: 1,
        onError: () => size % 2 === 0 ? "fail" : "skip",
      }),
  }),
  row("attempt, promises", () => attempt((chunk) => Promise.resolve(chunk)), {
    isAsync: true,
    makeStateful: () => attempt(map((chunk, index) => Promise.resolve(`${chunk}${index}\n`))),
  }),
  row(
    "attempt, parallel",
    () => attempt(parallel((chunk) => Promise.resolve(chunk), { concurrency })),
    {
      ...pooled,
      makeStateful: () =>
        attempt(
          parallel((chunk, index) => Promise.resolve(`${chunk}${index}\n`), { concurrency: 3 }),
        ),
    },
  ),
  row("batch", () => batch(1), {
    output: (n) => [n],
    makeStateful: () => batch(3),
    makeSized: (size) => batch(1 + size % 5),
  }),
  row("batch, by time", () => batch(1, { maxWaitMs: 10_000 }), {
    output: (n) => [n],
    makeStateful: () => batch(3, { maxWaitMs: 10_000 }),
  }),
  row("batchBy", () => batchBy((chunk) => chunk, 1), {
    output: (n) => ({ key: n, chunks: [n] }),
    makeStateful: () => batchBy((chunk) => String(chunk).length, 3, { maxKeys: 2 }),
    makeSized: (size) => batchBy(lengthOf, 1 + size % 5, { maxKeys: 2 }),
  }),
  row("batchBy, by time", () => batchBy((chunk) => chunk, 1, { maxWaitMs: 10_000 }), {
    output: (n) => ({ key: n, chunks: [n] }),
  }),
  row("batchBy, promises", () => batchBy((chunk) => Promise.resolve(chunk), 1), {
    output: (n) => ({ key: n, chunks: [n] }),
    isAsync: true,
  }),
  row("changes", () => changes(), {
    makeStateful: () => changes(lengthOf),
    makeRandom: ({ size, call }) =>
      changes((chunk) => call(chunk, (call, fail) => (fail(), Math.floor(call / (1 + size % 3))))),
  }),
  row("changes, promises", () => changes((chunk) => Promise.resolve(chunk)), { isAsync: true }),
  row("compose", () => compose(map((chunk) => chunk), filter(() => true)), {
    // What the stages within are to each other, stages are in a chain that is fused.
    readAhead: 1,
    makeStateful: () =>
      compose(map((chunk, index) => `${chunk}${index}\n`), filter((_, index) => index % 3 !== 0)),
  }),
  row("compose, of none", () => compose([])),
  row("distinct", () => distinct({ maxKeys: 3, atLimit: "forgetOldest" }), {
    makeStateful: () => distinct({ key: lengthOf }),
    makeRandom: ({ size, call }) =>
      distinct({
        key: (chunk) => call(chunk, (call, fail) => (fail(), call % (1 + size))),
        maxKeys: 1 + size % 5,
        atLimit: size % 2 === 0 ? "fail" : "forgetOldest",
      }),
  }),
  row(
    "distinct, promises",
    () => distinct({ key: (chunk) => Promise.resolve(chunk), maxKeys: 3, atLimit: "forgetOldest" }),
    {
      isAsync: true,
    },
  ),
  row("drop", () => drop(0), { makeStateful: () => drop(5), makeSized: (size) => drop(size) }),
  row("dropWhile", () => dropWhile(() => false), {
    makeStateful: () => dropWhile((_, index) => index < 5),
    makeRandom: ({ size, call }) =>
      dropWhile((chunk) => call(chunk, (call, fail) => (fail(), call < size))),
  }),
  row("dropWhile, promises", () => dropWhile(() => Promise.resolve(false)), { isAsync: true }),
  row("encode", () => encode({ size: 4 }) as Stage, {
    input: (n) => `${n}`.padStart(4, "0").slice(-4),
    output: (n) => new TextEncoder().encode(`${n}`.padStart(4, "0").slice(-4)),
    makeStateful: () => encodeText(5),
    makeSized: (size) => encodeText(4 + size % 5),
  }),
  row("filter", () => filter(() => true), {
    makeStateful: () => filter((_, index) => index % 3 !== 0),
    makeRandom: ({ size, call }) =>
      filter((chunk) => call(chunk, (call, fail) => (fail(), call % 3 !== size % 3))),
  }),
  row("filter, promises", () => filter(() => Promise.resolve(true)), { isAsync: true }),
  row("filter, several at a time", () => filter(() => Promise.resolve(true), { concurrency }), {
    ...pooled,
    makeStateful: () => filter((_, index) => Promise.resolve(index % 3 !== 0), { concurrency: 3 }),
    makeRandom: ({ size, call }) =>
      filter((chunk) => call(chunk, (call, fail) => (fail(), call % 3 !== size % 3)), {
        concurrency: 2 + size % 3,
      }),
  }),
  row("flatMap, arrays", () => flatMap((chunk) => [chunk]), {
    makeStateful: () => flatMap((chunk, index) => Array(index % 3).fill(chunk)),
    makeRandom: ({ call, iterate }) =>
      flatMap((chunk) => call(chunk, (_, fail) => iterate(chunk, fail))),
  }),
  row("flatMap, generators", () =>
    flatMap(function* (chunk) {
      yield chunk;
    }), {
    makeStateful: () =>
      flatMap(function* (chunk, index) {
        for (let n = 0; n < index % 3; n++) yield chunk;
      }),
  }),
  row("flatMap, async generators", () =>
    flatMap(async function* (chunk) {
      yield chunk;
    }), { isAsync: true }),
  row("flatMap, several at a time", () => flatMap((chunk) => [chunk], { concurrency }), {
    ...{ readAhead: 2 * concurrency, isAsync: true },
    makeStateful: () =>
      flatMap((chunk, index) => Array(index % 3).fill(`${chunk}${index}\n`), { concurrency: 2 }),
    makeRandom: ({ size, call, iterate }) =>
      flatMap((chunk) => call(chunk, (_, fail) => iterate(chunk, fail)), {
        concurrency: 2 + size % 3,
      }),
  }),
  row(
    "flatMap, several at a time, unordered",
    () =>
      flatMap(async function* (chunk) {
        yield chunk;
      }, { concurrency, ordered: false }),
    { readAhead: 2 * concurrency, isAsync: true, keepsOrder: false },
  ),
  row("expand", () => expand<unknown>(() => []), {
    ...{ readAhead: 1, isAsync: true },
    makeStateful: () => expand((chunk, index) => index % 2 === 0 ? [`${chunk}${index}`] : []),
    makeRandom: ({ size, call, iterate }) => {
      let left = size;
      return expand((chunk) => call(chunk, (_, fail) => left-- > 0 ? iterate(chunk, fail) : []));
    },
  }),
  row(
    "expand, several at a time",
    () =>
      expand<unknown>(async () => {
        for (let wait = 0; wait < 3; wait++) await undefined;
        return [];
      }, { concurrency }),
    { ...pooled },
  ),
  row("formatCsv", () => formatCsv() as Stage, {
    input: (n) => [n],
    output: (n) => `${n}\r\n`,
    makeStateful: formatTexts,
    makeSized: formatTexts,
  }),
  row("formatNdjson", () => formatNdjson(), {
    output: (n) => `${n}\n`,
    makeStateful: () => formatNdjson(),
    makeSized: () => formatNdjson(),
  }),
  row("groupBy", () => groupBy(() => 0, () => map((chunk) => chunk)), {
    readAhead: 2,
    isAsync: true,
    makeStateful: () =>
      groupBy(() => 0, () => map((chunk, index) => `${chunk}${index}\n`), { maxKeys: 1 }),
    makeRandom: ({ size, call, text }) =>
      groupBy(
        () => 0,
        () => map((chunk) => call(chunk, (_, fail) => (fail(), `${text(chunk)}g`))),
        { maxKeys: 1 + size % 3 },
      ),
  }),
  row(
    "groupBy, a key each",
    () => groupBy((chunk) => chunk, () => map((chunk) => chunk), { maxKeys: 3 }),
    {
      readAhead: 4,
      keepsOrder: false,
      isAsync: true,
    },
  ),
  row(
    "groupBy, several at a time",
    () =>
      groupBy(() => 0, () =>
        parallel(async (chunk) => {
          for (let wait = 0; wait < 3; wait++) await undefined;
          return chunk;
        }, { concurrency })),
    { readAhead: 2 + concurrency, isAsync: true },
  ),
  row("intersperse", () => intersperse(",") as Stage, {
    input: String,
    output: (n) => n === 0 ? "0" : `,${n}`,
    makeStateful: () => intersperse("-") as Stage,
    makeSized: (size) => intersperse("-".repeat(size)) as Stage,
  }),
  row("limitBytes", () => limitBytes<string>(Number.MAX_SAFE_INTEGER) as Stage, {
    input: String,
    output: String,
    makeStateful: () => limitBytes<string>(100) as Stage,
    makeSized: (size) => limitBytes<string>(20 * size) as Stage,
  }),
  row("formatSse", () => formatSse() as Stage, {
    input: String,
    output: (n) => `data: ${n}\n\n`,
    makeStateful: () => formatSse() as Stage,
    makeSized: () => formatSse() as Stage,
  }),
  row("limitRate", () => limitRate({ perSecond: 1e12 }), {
    makeStateful: () => limitRate({ perSecond: 1e12, cost: lengthOf }),
    makeSized: () => limitRate({ perSecond: 1e12 }),
  }),
  row("lines", () => lines() as Stage, {
    input: (n) => `${n}\n`,
    output: (n) => `${n}`,
    makeStateful: () => lines() as Stage,
    makeSized: () => lines() as Stage,
  }),
  row("map", () => map((chunk) => chunk), {
    makeStateful: () => map((chunk, index) => `${chunk}${index}\n`),
    makeRandom: ({ call, text }) =>
      map((chunk) => call(chunk, (_, fail) => (fail(), `${text(chunk)}m`))),
  }),
  row("map, promises", () => map((chunk) => Promise.resolve(chunk)), {
    isAsync: true,
    makeStateful: () => map((chunk, index) => Promise.resolve(`${chunk}${index}\n`)),
  }),
  // The chunk before the first makes a pair of each.
  row("pairwise", () => compose(startWith(-1), pairwise()), {
    output: (n) => [n - 1, n],
    readAhead: 1,
    makeStateful: () => pairwise() as Stage,
    makeSized: () => pairwise() as Stage,
  }),
  row(
    "parallel, ordered",
    () => parallel((chunk) => Promise.resolve(chunk), { concurrency }),
    {
      ...pooled,
      makeStateful: () =>
        parallel((chunk, index) => Promise.resolve(`${chunk}${index}\n`), { concurrency: 3 }),
      makeRandom: ({ size, call, text }) =>
        parallel((chunk) => call(chunk, (_, fail) => (fail(), `${text(chunk)}p`)), {
          concurrency: 1 + size % 4,
        }),
    },
  ),
  row(
    "parallel, a window",
    () =>
      parallel(async (chunk, index) => {
        for (let wait = index % 3; wait < 2; wait++) await undefined;
        return chunk;
      }, { concurrency: 2, window: 6 }),
    {
      ...{ readAhead: 6, isAsync: true },
      makeStateful: () =>
        parallel(async (chunk, index) => {
          for (let wait = index % 3; wait < 2; wait++) await undefined;
          return `${chunk}${index}\n`;
        }, { concurrency: 2, window: 3 }),
    },
  ),
  row(
    "parallel, unordered",
    () => parallel((chunk) => Promise.resolve(chunk), { concurrency, ordered: false }),
    {
      ...pooled,
      keepsOrder: false,
      makeStateful: () =>
        parallel((chunk, index) => Promise.resolve(`${chunk}${index}\n`), {
          concurrency: 3,
          ordered: false,
        }),
    },
  ),
  row(
    "parallel, keys",
    () =>
      parallel((chunk) => Promise.resolve(chunk), { concurrency, key: (_, index) => index % 2 }),
    {
      ...{ readAhead: 4 * concurrency, isAsync: true },
      makeStateful: () =>
        parallel((chunk, index) => Promise.resolve(`${chunk}${index}\n`), {
          concurrency: 3,
          key: (_, index) => index % 2,
        }),
      makeRandom: ({ size, call, text }) =>
        parallel((chunk) => call(chunk, (_, fail) => (fail(), `${text(chunk)}p`)), {
          concurrency: 1 + size % 4,
          key: (_, index) => index % 3,
        }),
    },
  ),
  row("parseCsv", () => parseCsv({ header: false }) as Stage, {
    input: (n) => `${n}\n`,
    output: (n) => [`${n}`],
    makeStateful: () => parseCsv({ header: false, relax: true }) as Stage,
    makeSized: (size) => parseCsv({ header: size % 2 === 0, relax: size % 3 > 0 }) as Stage,
  }),
  row("parseNdjson", () => parseNdjson() as Stage, {
    input: (n) => `${n}\n`,
    makeStateful: () => parseDigits(),
    makeSized: (size) => size % 5 === 0 ? parseNdjson() as Stage : parseDigits(),
  }),
  row("parseSse", () => parseSse() as Stage, {
    input: (n) => `data:${n}\n\n`,
    output: (n) => ({ type: "message", data: `${n}`, lastEventId: "" }),
    makeStateful: () => parseSse() as Stage,
    makeSized: () => parseSse() as Stage,
  }),
  row("rechunk", () => rechunk(2) as Stage, {
    input: (n) => Uint8Array.of(n, n >> 8),
    output: (n) => Uint8Array.of(n, n >> 8),
    makeStateful: () => rechunkText(3),
    makeSized: (size) => rechunkText(1 + size % 7),
  }),
  row("scan", () => scan((_, chunk) => chunk, undefined as unknown), {
    makeStateful: () => scan((sum, chunk) => `${(sum + String(chunk)).slice(-9)}`, "") as Stage,
    makeRandom: ({ call, text }) =>
      scan(
        (length, chunk) =>
          call(chunk, (_, fail) => (fail(), length + text(chunk).length)) as number,
        0,
      ),
  }),
  row(
    "scan, promises",
    () => scan((_, chunk) => Promise.resolve(chunk), undefined as unknown),
    { isAsync: true },
  ),
  row("scan, a seed anew", () => scan((_, chunk) => chunk, { seed: () => undefined as unknown }), {
    makeStateful: () =>
      scan((sum: string, chunk) => `${sum}${chunk}`.slice(-9), { seed: () => "" }) as Stage,
  }),
  row("scan, without a seed", () => scan((_, chunk) => chunk), {
    makeStateful: () => scan((sum, chunk) => `${sum}${chunk}`.slice(-9)),
    makeRandom: ({ call, text }) =>
      scan((last, chunk) => call(chunk, (_, fail) => (fail(), `${text(last)}${text(chunk)}`))),
  }),
  row("sliding", () => sliding(1), {
    output: (n) => [n],
    makeStateful: () => sliding(3, 2),
    makeSized: (size) => sliding(1 + size % 4, 1 + size % 3),
  }),
  row("split", () => split<string>("--") as Stage, {
    input: (n) => `${n}--`,
    output: String,
    makeStateful: () => split<string>("\n") as Stage,
    makeSized: (size) => split<string>(size % 2 === 0 ? "m" : "ab") as Stage,
  }),
  row("stage", () => stage(passing), {
    makeStateful: () => stage(map((chunk, index) => `${chunk}${index}\n`)),
    makeSized: () => stage(passing),
  }),
  row("stage, a generator", () => stage(passEach), {
    isAsync: true,
    makeStateful: () =>
      stage(async function* (source) {
        let index = 0;
        for await (const chunk of source) yield `${chunk}${index++}\n`;
      }),
    makeRandom: ({ call, iterate }) =>
      stage(async function* (source) {
        for await (const chunk of source) {
          yield* await call(chunk, (_, fail) => iterate(chunk, fail)) as AsyncIterable<unknown>;
        }
      }),
  }),
  row("take", () => take(Number.MAX_SAFE_INTEGER), {
    makeStateful: () => take(5),
    makeSized: (size) => take(size),
  }),
  row("takeUntil", () => takeUntil(new Promise(() => {})), {
    makeStateful: () => takeUntil(new Promise(() => {})),
    makeSized: () => takeUntil(new AbortController().signal),
  }),
  row("takeUntil, a signal", () => takeUntil(new AbortController().signal)),
  row("takeWhile", () => takeWhile(() => true), {
    makeStateful: () => takeWhile((_, index) => index < 5),
    makeRandom: ({ size, call }) =>
      takeWhile((chunk) => call(chunk, (call, fail) => (fail(), call !== size))),
  }),
  row("takeWhile, promises", () => takeWhile(() => Promise.resolve(true)), { isAsync: true }),
  row("tap", () => tap(() => {}), {
    makeStateful: () => tap((_, index) => index === 100 && Promise.reject("never")),
    makeRandom: ({ call }) => tap((chunk) => call(chunk, (_, fail) => fail())),
  }),
  row("tap, promises", () => tap(() => Promise.resolve()), { isAsync: true }),
  row("a transform by hand", () => ({ ...passing })),
  row("an async transform by hand", () => ({
    async transform(chunk, controller) {
      await undefined;
      controller.enqueue(chunk);
    },
  }), { isAsync: true }),
  row("no transform at all", () => ({ transform: undefined }), {
    makeSized: () => ({ transform: undefined }),
  }),
];
