import { checkFunction, throwTypeError } from "../errors.ts";
import { currentTime } from "./current_time.ts";
import {
  type Diagram,
  type DiagramEvent,
  type DiagramOptions,
  nameOfIn,
  readDiagramOptions,
} from "./diagram_options.ts";
import { runDiagram, type SeenEvent } from "./diagram_run.ts";
import { isEqual } from "./is_equal.ts";
import { printChunk } from "./print_chunk.ts";
import { virtualTime } from "./virtual_time.ts";
import type { Transformer } from "../web_types.ts";

/** A longer gap is written as a time. */
const mostDashes = 20;

const listTimes = (events: readonly DiagramEvent[]) =>
  events.map(({ name, atMs }) => `${name} at ${atMs} ms`).join(", ");

/** Writes events as a diagram, or as a list of times where they fit no columns. */
function printDiagram(events: readonly DiagramEvent[], columnMs = 1): string {
  let text = "";
  let nextMs = 0;
  for (let from = 0; from < events.length;) {
    const { atMs } = events[from]!;
    const group = events.slice(from).filter((event) => event.atMs === atMs);
    const columns = (atMs - nextMs) / columnMs;
    if (columns < 0 || !Number.isInteger(columns)) return listTimes(events);
    text += columns > mostDashes ? ` ${atMs - nextMs}ms ` : "-".repeat(columns);
    const names = group.map(({ name }) => name).join("");
    text += group.length > 1 ? `(${names})` : names;
    nextMs = atMs + columnMs;
    from += group.length;
  }
  return text.trim();
}

const spare = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Which chunk a letter of a diagram stands for, and which letter a chunk has. */
class DiagramNames {
  readonly #values: Map<string, unknown>;
  /** Letters for chunks that no letter stands for. */
  readonly #others = new Map<string, unknown>();

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = new Map(Object.entries(values));
  }

  valueOf(letter: string): unknown {
    return this.#values.has(letter) ? this.#values.get(letter) : letter;
  }

  letterOf(value: unknown): string {
    for (const [letter, other] of [...this.#values, ...this.#others]) {
      if (isEqual(value, other)) return letter;
    }
    const isLetter = typeof value === "string" && /^[\p{L}\p{N}]$/u.test(value);
    if (isLetter && !this.#isTaken(value)) return value;
    const letter = [...spare].find((name) => !this.#isTaken(name)) ?? "?";
    this.#others.set(letter, value);
    return letter;
  }

  /** What the letters stand for that the diagram did not have. */
  legend(): string[] {
    return [...this.#others].map(([letter, value]) => `  ${letter} = ${printChunk(value)}`);
  }

  #isTaken(letter: string): boolean {
    return this.#values.has(letter) || this.#others.has(letter);
  }
}

/** What `expectDiagram` runs: a transformer, a pair of streams, or what makes a stream of one or several. */
export type DiagramStage =
  | Transformer
  | { readonly readable: ReadableStream; readonly writable: WritableStream }
  // deno-lint-ignore no-explicit-any -- of any chunks, of which the diagram is not known to the compiler
  | ((...sources: ReadableStream<any>[]) => ReadableStream | AsyncIterable<unknown>);

type Open = (...sources: ReadableStream<unknown>[]) => unknown;

const action = "expect diagram";
const signOf = { end: "|", fail: "#", cancel: "!" } as const;

function openerOf(stage: DiagramStage, sources: number): Open {
  if (typeof stage === "function") {
    checkFunction(action, "stage", stage, true);
    return stage as Open;
  }
  if (stage === null || typeof stage !== "object") {
    throwTypeError(action, "stage", "a transformer, a pair of streams or a function", stage);
  }
  if (sources !== 1) {
    throw new TypeError(`Cannot ${action}: a stage has one in; of several, make it a function`);
  }
  return (source) =>
    source!.pipeThrough("writable" in stage ? stage : new TransformStream(stage as Transformer));
}

/** Where two lines of a diagram differ; `undefined` if they say the same. */
function differenceOf(
  expected: readonly DiagramEvent[],
  seen: readonly SeenEvent[],
  isSame: (event: DiagramEvent, value: unknown) => boolean,
): number | undefined {
  for (let place = 0; place < Math.max(expected.length, seen.length); place++) {
    const [wanted, got] = [expected[place], seen[place]];
    const isWanted = wanted !== undefined && got !== undefined && wanted.kind === got.kind &&
      wanted.atMs === got.atMs && isSame(wanted, got.value);
    if (!isWanted) return Math.min(wanted?.atMs ?? Infinity, got?.atMs ?? Infinity);
  }
}

/**
 * Runs a stage under virtual time between ends that do what diagrams say, and compares what it gives, and when.
 *
 * A column is a millisecond: `-` nothing, a letter or digit a chunk, `(ab)` several in one column, `|` the end, `#` a
 * failure, `!` a cancel, and ` 100ms ` between spaces the time itself. It ends with the longest diagram.
 * A time that `virtualTime` holds is gone on with; otherwise it holds one itself.
 *
 * @param stage A transformer, a pair of streams, or a function that makes a stream of one or several.
 * @param options `in`: what is given, for each source; `out`: what is expected; `demand`: what the sink requests, as
 * digits and `*` (default: all); `values`: the chunks that letters stand for (default: the letters); `error`: the reason
 * of `#`; `columnMs`: how long a column is (default: 1).
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {SyntaxError} With the column of the text, if it is no diagram.
 * @throws {Error} With both diagrams, if they differ.
 *
 * @example A batch that waits two milliseconds at most
 * ```ts
 * import { batch } from "@hosepipe/streams";
 * import { expectDiagram } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * await expectDiagram(batch(3, { maxWaitMs: 2 }), {
 *   in: "ab----c|",
 *   out: "--X----(Y|)",
 *   values: { X: ["a", "b"], Y: ["c"] },
 * });
 * await assert.rejects(() => expectDiagram(batch(2), { in: "a|", out: "a|" }), /differs at 0 ms/);
 * ```
 */
export async function expectDiagram(stage: DiagramStage, options: DiagramOptions): Promise<void> {
  const plan = readDiagramOptions(options);
  const open = openerOf(stage, plan.ins.length);
  const names = new DiagramNames(plan.values);
  const hasReason = Object.hasOwn(options, "error");
  const failure = hasReason ? options.error : new Error("# of a diagram");
  const cancellation = new Error("! of a diagram");
  const isReasonKnown = hasReason || plan.ins.some(({ events }) => has(events, "fail"));
  const isCancelKnown = has(plan.out.events, "cancel");
  const isSame = ({ kind, name }: DiagramEvent, value: unknown): boolean => {
    if (kind === "chunk") return isEqual(names.valueOf(name), value);
    if (kind === "fail") return !isReasonKnown || Object.is(value, failure);
    return kind !== "cancel" || !isCancelKnown || Object.is(value, cancellation);
  };
  const held = currentTime();
  const own = held === undefined ? virtualTime() : undefined;
  try {
    const chunks = { valueOf: (letter: string) => names.valueOf(letter), failure, cancellation };
    const seen = await runDiagram(open, plan, chunks, currentTime()!);
    const compare = (name: string, { events }: Diagram, got: readonly SeenEvent[]): void => {
      const atMs = differenceOf(events, got, isSame);
      if (atMs === undefined) return;
      const named = got.map(({ kind, atMs, value }) => ({
        kind,
        atMs,
        name: kind === "chunk" ? names.letterOf(value) : signOf[kind as keyof typeof signOf],
      }));
      const wanted = printDiagram(events, plan.columnMs);
      const drawn = printDiagram(named, plan.columnMs);
      let same = 0;
      while (same < wanted.length && wanted[same] === drawn[same]) same++;
      throw new Error([
        `The diagram ${name} differs at ${atMs} ms`,
        `  expected  ${wanted}`,
        `  actual    ${drawn}`,
        `            ${" ".repeat(same)}^`,
        ...(wanted === drawn ? ["  the reasons differ"] : []),
        ...names.legend(),
      ].join("\n"));
    };
    compare("out", plan.out, seen.out);
    plan.ins.forEach((diagram, place) =>
      compare(nameOfIn(plan.ins.length, place), diagram, seen.ins[place]!)
    );
  } finally {
    own?.restore();
  }
}

function has(events: readonly DiagramEvent[], kind: DiagramEvent["kind"]): boolean {
  return events.some((event) => event.kind === kind);
}
