import {
  batch,
  drop,
  filter,
  flatMap,
  lines,
  map,
  parallel,
  scan,
  take,
  tap,
} from "@hosepipe/streams";

/** An operator so set up that each chunk gives one. */
export interface Operator {
  readonly name: string;
  readonly make: () => Transformer<unknown, unknown>;
  /** The n-th chunk that it is given. */
  readonly input: (n: number) => unknown;
  /** The n-th chunk that it gives. */
  readonly output: (n: number) => unknown;
  readonly keepsOrder: boolean;
  /** How many chunks it may hold while what follows it takes none, by its own options. */
  readonly readAhead: number;
  /** Whether it answers with promises, which cost a hundred times what the rest does. */
  readonly isAsync: boolean;
}

const itself = (n: number): unknown => n;
const concurrency = 4;

function operator(
  name: string,
  make: Operator["make"],
  difference: Partial<Operator> = {},
): Operator {
  return {
    name,
    make,
    input: itself,
    output: itself,
    keepsOrder: true,
    readAhead: 0,
    isAsync: false,
    ...difference,
  };
}

const pooled = { readAhead: concurrency, isAsync: true };

/** All operators, each once with a function that answers at once and once with promises where it takes one. */
export const operators: readonly Operator[] = [
  operator("map", () => map((chunk) => chunk)),
  operator("map, promises", () => map((chunk) => Promise.resolve(chunk)), { isAsync: true }),
  operator("filter", () => filter(() => true)),
  operator("filter, promises", () => filter(() => Promise.resolve(true)), { isAsync: true }),
  operator("flatMap, arrays", () => flatMap((chunk) => [chunk])),
  operator("flatMap, generators", () =>
    flatMap(function* (chunk) {
      yield chunk;
    })),
  operator("flatMap, async generators", () =>
    flatMap(async function* (chunk) {
      yield chunk;
    }), { isAsync: true }),
  operator("take", () => take(Number.MAX_SAFE_INTEGER)),
  operator("drop", () => drop(0)),
  operator("tap", () => tap(() => {})),
  operator("tap, promises", () => tap(() => Promise.resolve()), { isAsync: true }),
  operator("scan", () => scan((_, chunk) => chunk, undefined as unknown)),
  operator(
    "scan, promises",
    () => scan((_, chunk) => Promise.resolve(chunk), undefined as unknown),
    {
      isAsync: true,
    },
  ),
  operator("batch", () => batch(1), { output: (n) => [n] }),
  operator("lines", () => lines() as Transformer<unknown, unknown>, {
    input: (n) => `${n}\n`,
    output: (n) => `${n}`,
  }),
  operator(
    "parallel, ordered",
    () => parallel((chunk) => Promise.resolve(chunk), { concurrency }),
    pooled,
  ),
  operator(
    "parallel, unordered",
    () => parallel((chunk) => Promise.resolve(chunk), { concurrency, ordered: false }),
    { ...pooled, keepsOrder: false },
  ),
  operator("a transform by hand", () => ({
    transform(chunk, controller) {
      controller.enqueue(chunk);
    },
  })),
  operator("an async transform by hand", () => ({
    async transform(chunk, controller) {
      await undefined;
      controller.enqueue(chunk);
    },
  }), { isAsync: true }),
  operator("no transform at all", () => ({})),
];
