// What stages refuse as they are made: the type of the error, and a part of its message.
import { test } from "node:test";
import { assertThrows } from "@std/assert";
import * as library from "@hosepipe/streams";
import { kindsOfBinary } from "../lib/kinds_of_binary.ts";

// deno-lint-ignore no-explicit-any -- wrong arguments have no type
type Any = any;
const {
  attempt,
  batch,
  batchBy,
  changes,
  compose,
  distinct,
  encode,
  expand,
  filter,
  flatMap,
  limitBytes,
  limitRate,
  lines,
  map,
  parallel,
  parseNdjson,
  rechunk,
  scan,
  sliding,
  split,
  take,
} = library as Any;
const fn = (): unknown => 1;
const keep = (n: unknown): unknown => n;
const positive = "must be a positive integer, got";
const whole = "must be a non-negative integer, got";
const delay = "must be a number from 0 to 2147483647, got";
const onlyOfMap = "Cannot create attempt: stage must be made of map";

type Row = readonly [make: () => unknown, type: ErrorConstructor, message: string];
const rows: readonly Row[] = [
  ...["map", "filter", "tap", "dropWhile", "takeWhile", "scan", "flatMap", "expand", "parallel"]
    .map((
      name,
    ): Row => [
      () => (library as Any)[name]({}),
      TypeError,
      `Cannot create ${name}: fn must be a function, got an object`,
    ]),
  ...["take", "takeLast", "drop"].flatMap((name): Row[] => {
    const make = (library as Any)[name];
    const need = `Cannot create ${name}: n ${whole}`;
    return [
      [() => make(-1), RangeError, `${need} -1`],
      [() => make(1.5), RangeError, `${need} 1.5`],
      [() => make("1"), TypeError, `${need} "1"`],
    ];
  }),
  [() => take(1, { atLimit: "stop" }), TypeError, 'atLimit must be "end" or "fail", got "stop"'],
  [() => take(1, { error: true }), TypeError, 'unknown option "error"'],
  ...[
    batch(2),
    flatMap(keep),
    scan(fn, 0),
    compose(map(keep), batch(2)),
    compose(distinct(), map(keep)),
  ]
    .concat([changes(), { transform() {} }])
    .map((stage): Row => [() => attempt(stage), TypeError, onlyOfMap]),
  [() => attempt(5), TypeError, "stage must be a function or a stage, got 5"],
  [() => attempt(function* () {}), TypeError, "a generator function"],
  [() => attempt(fn, { attempts: 0 }), RangeError, `attempts ${positive} 0`],
  [() => attempt(fn, { delayMs: -1 }), RangeError, `delayMs ${delay} -1`],
  [() => attempt(fn, { maxDelayMs: "1" }), TypeError, `maxDelayMs ${delay} "1"`],
  [() => attempt(fn, { shouldRetry: 1 }), TypeError, "shouldRetry must be a function"],
  [() => attempt(fn, { onError: "skip" }), TypeError, "onError must be a function"],
  [() => attempt(fn, { attempt: 2 }), TypeError, 'unknown option "attempt"'],
  [() => batch(0), RangeError, `Cannot create batch: size ${positive} 0`],
  [() => batch(null), TypeError, `size ${positive} null`],
  [() => batch(1, { maxBytes: 0 }), RangeError, `maxBytes ${positive} 0`],
  [() => batch(1, { maxWaitMs: 2 ** 31 }), RangeError, `maxWaitMs ${delay} 2147483648`],
  [
    () => batch(1, { maxWait: 1 }),
    TypeError,
    'unknown option "maxWait"; did you mean "maxWaitMs"?',
  ],
  [() => batchBy(5, 1), TypeError, "Cannot create batchBy: key must be a function, got 5"],
  [() => batchBy(fn, 0), RangeError, `size ${positive} 0`],
  [() => batchBy(fn, 1, { maxKeys: 0 }), RangeError, `maxKeys ${positive} 0`],
  [() => batchBy(fn, 1, { maxWaitMs: -1 }), RangeError, `maxWaitMs ${delay} -1`],
  [() => batchBy(fn, 1, { wait: 1 }), TypeError, 'unknown option "wait"'],
  [() => changes(5), TypeError, "Cannot create changes: key must be a function, got 5"],
  [() => changes({ equals: 5 }), TypeError, "equals must be a function, got 5"],
  [() => changes({ compare: 5 }), TypeError, 'unknown option "compare"'],
  [() => distinct({ key: 5 }), TypeError, "Cannot create distinct: key must be a function, got 5"],
  [() => distinct({ equals: 1 }), TypeError, "equals must be a function, got 1"],
  [() => distinct({ maxKeys: 0 }), RangeError, `maxKeys ${positive} 0`],
  [
    () => distinct({ atLimit: "x" }),
    TypeError,
    'atLimit must be "fail" or "forgetOldest", got "x"',
  ],
  [() => distinct({ by: 1 }), TypeError, 'unknown option "by"'],
  [() => encode({ size: 3 }), RangeError, "Cannot create encode: size must be at least 4, got 3"],
  [() => encode({ size: 4.5 }), RangeError, `size ${positive} 4.5`],
  [() => encode({ maxWaitMs: -1 }), RangeError, `maxWaitMs ${delay} -1`],
  [() => encode({ length: 4 }), TypeError, 'unknown option "length"'],
  [() => expand(fn, { concurrency: 0 }), RangeError, `concurrency ${positive} 0`],
  [() => expand(fn, { maxPending: 1.5 }), RangeError, `maxPending ${positive} 1.5`],
  [() => expand(fn, { distinct: { keys: 1 } }), TypeError, "Cannot create expand: unknown option"],
  [() => expand(fn, { depth: 1 }), TypeError, "depth"],
  [() => filter(fn, { concurrency: 0 }), RangeError, `concurrency ${positive} 0`],
  [() => filter(fn, { ordered: 1 }), TypeError, "ordered must be a boolean, got 1"],
  [() => filter(fn, { order: 1 }), TypeError, 'did you mean "ordered"'],
  [() => flatMap(fn, { concurrency: 0 }), RangeError, `concurrency ${positive} 0`],
  [() => flatMap(fn, { ordered: 1 }), TypeError, "ordered must be a boolean, got 1"],
  [() => flatMap(fn, { window: 1 }), TypeError, "window"],
  [() => library.intersperse(5 as Any), TypeError, "separator must be a string, got 5"],
  [() => limitBytes(-1), RangeError, `Cannot create limitBytes: maxBytes ${whole} -1`],
  [() => limitBytes("1"), TypeError, `maxBytes ${whole} "1"`],
  [
    () => limitBytes(1, { atLimit: "end" }),
    TypeError,
    'atLimit must be "fail" or "truncate", got "end"',
  ],
  ...[0, -1, NaN, Infinity].map((perSecond): Row => [
    () => limitRate({ perSecond }),
    RangeError,
    "Cannot create limitRate: perSecond must be a positive number",
  ]),
  [() => limitRate(), TypeError, "perSecond"],
  [() => limitRate({ perSecond: "1" }), TypeError, "perSecond must be a positive number"],
  [() => limitRate({ perSecond: 1, burst: 0 }), RangeError, "burst must be a positive number"],
  [() => limitRate({ perSecond: 1, cost: 1 }), TypeError, "cost must be a function"],
  [() => limitRate({ perSecond: 1, per: 1 }), TypeError, 'unknown option "per"'],
  [() => lines({ maxLength: -1 }), RangeError, `Cannot create lines: maxLength ${whole} -1`],
  [() => lines({ maxLength: "1" }), TypeError, `maxLength ${whole} "1"`],
  [() => lines({ max: 1 }), TypeError, 'unknown option "max"; the options are maxLength'],
  [() => parallel(fn), TypeError, `Cannot create parallel: concurrency ${positive} undefined`],
  [() => parallel(fn, null), TypeError, "options must be an object, got null"],
  [() => parallel(fn, { concurrency: -Infinity }), RangeError, `concurrency ${positive} -Infinity`],
  [
    () => parallel(fn, { concurrency: 1, ordered: 0 }),
    TypeError,
    "ordered must be a boolean, got 0",
  ],
  [
    () => parallel(fn, { concurrency: 1, stopOnError: 0 }),
    TypeError,
    "stopOnError must be a boolean",
  ],
  [() => parallel(fn, { concurrency: 1, key: 5 }), TypeError, "key must be a function, got 5"],
  [() => parallel(fn, { concurrency: 1, window: 1.5 }), RangeError, `window ${positive} 1.5`],
  [
    () => parallel(fn, { concurrency: 3, window: 2 }),
    RangeError,
    "window must be at least concurrency, 3, got 2",
  ],
  [
    () => parallel(fn, { concurrency: 1, ordered: false, window: 2 }),
    TypeError,
    "window needs key or ordered, which is false",
  ],
  [() => parseNdjson({ maxLength: -1 }), RangeError, "Cannot create parseNdjson: maxLength"],
  [() => parseNdjson({ max: 1 }), TypeError, 'unknown option "max"'],
  [() => rechunk(0), RangeError, `Cannot create rechunk: byteLength ${positive} 0`],
  [() => rechunk("1"), TypeError, `byteLength ${positive} "1"`],
  [() => rechunk(1, { maxWaitMs: "1" }), TypeError, `maxWaitMs ${delay} "1"`],
  [() => sliding(0), RangeError, `Cannot create sliding: size ${positive} 0`],
  [() => sliding(2, 1.5), RangeError, `step ${positive} 1.5`],
  [() => split(""), RangeError, "Cannot create split: delimiter is empty"],
  [() => split(new Uint8Array()), RangeError, "delimiter is empty"],
  [() => split(",", { disposition: "x" }), TypeError, '"discard", "suffix" or "prefix", got "x"'],
  [() => split(",", { keepEmptyLast: 1 }), TypeError, "keepEmptyLast must be a boolean, got 1"],
  [() => split(",", { maxLength: -1 }), RangeError, `maxLength ${whole} -1`],
  [() => split(",", { max: 1 }), TypeError, 'unknown option "max"'],
  ...kindsOfBinary.filter(({ refusedAs }) => refusedAs !== undefined).map((
    { make, refusedAs },
  ): Row => [
    () => split(make(new TextEncoder().encode("[1,\t\t2]\n"))),
    TypeError,
    `delimiter must be a string or a Uint8Array, got ${refusedAs}`,
  ]),
  ...[null, 5, "map"].map((value): Row => [
    () => library.stage(value as Any),
    TypeError,
    "Cannot create stage: stage must be a function or an object, got",
  ]),
  ...[null, 5, {}].map((value): Row => [
    () => library.takeUntil(value as Any),
    TypeError,
    "Cannot create takeUntil: end must be an AbortSignal or a promise, got",
  ]),
];

test("stages refuse what they cannot use, and say what they need", () => {
  for (const [make, type, message] of rows) assertThrows(make, type, message, String(make));
});
