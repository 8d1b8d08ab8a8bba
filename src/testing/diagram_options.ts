import { checkInteger, checkOptions, throwTypeError } from "../errors.ts";

/** What may happen in a diagram. */
export type DiagramKind = "chunk" | "end" | "fail" | "cancel" | "request";

/** One thing that happens, and when. */
export interface DiagramEvent {
  readonly kind: DiagramKind;
  readonly atMs: number;
  /** The letter of a chunk; how many chunks are requested; otherwise the sign. */
  readonly name: string;
}

/** A diagram as it is read. */
export interface Diagram {
  readonly events: readonly DiagramEvent[];
  /** Where its last column ends. */
  readonly endsAtMs: number;
}

/** The signs of what ends a diagram. */
const signs: Readonly<Record<string, DiagramKind>> = {
  "|": "end",
  "#": "fail",
  "!": "cancel",
};

/** What a letter is in a diagram of chunks, and in one of demand. */
const kindsOf: Readonly<Record<"chunks" | "demand", (letter: string) => DiagramKind | undefined>> =
  {
    chunks: (letter) => signs[letter] ?? (/^[\p{L}\p{N}]$/u.test(letter) ? "chunk" : undefined),
    demand: (letter) => /^[1-9*]$/.test(letter) ? "request" : undefined,
  };

const needs = {
  chunks: "a letter, a digit or one of -()|#! is needed",
  demand: "a digit from 1, or one of -()* is needed",
};

/** A time between spaces, such as `100ms` or `2s`. */
const jump = /^(\d+)(ms|s)(?=\s|$)/;

/**
 * Reads a diagram: `-` is a column in which nothing happens, `(ab)` one in which several things do.
 *
 * @param name What an error calls it.
 * @param columnMs How long a column is.
 * @param language Whether letters are chunks, or digits are demand.
 * @throws {SyntaxError} With the column of the text, if it is no diagram.
 */
function parseDiagram(
  name: string,
  text: string,
  columnMs = 1,
  language: "chunks" | "demand" = "chunks",
): Diagram {
  if (typeof text !== "string") throwTypeError("read diagram", name, "a string", text);
  const events: DiagramEvent[] = [];
  let atMs = 0;
  let opensAt: number | undefined;
  let hasEnded = false;
  const fail = (place: number, why: string): never => {
    throw new SyntaxError(
      `Cannot read diagram ${name}: ${why} at column ${place + 1}\n` +
        `  ${text}\n  ${" ".repeat(place)}^`,
    );
  };
  for (let place = 0; place < text.length;) {
    const letter = String.fromCodePoint(text.codePointAt(place)!);
    const isApart = place === 0 || /\s/.test(text[place - 1]!);
    const time = isApart ? jump.exec(text.slice(place)) : null;
    const isInGroup = opensAt !== undefined;
    if (time !== null && !isInGroup && !hasEnded) {
      atMs += Number(time[1]) * (time[2] === "s" ? 1000 : 1);
      place += time[0].length;
      continue;
    }
    if (hasEnded && letter !== ")" && !/\s/.test(letter)) fail(place, "something follows the end");
    if (letter === "-") {
      if (isInGroup) fail(place, "a group takes one column, so that it has no -");
      atMs += columnMs;
    } else if (letter === "(") {
      if (isInGroup) fail(place, "a group stands in a group");
      opensAt = place;
    } else if (letter === ")") {
      if (!isInGroup) fail(place, "no group is open");
      if (events.at(-1)?.atMs !== atMs) fail(place, "the group is empty");
      opensAt = undefined;
      atMs += columnMs;
    } else if (!/\s/.test(letter)) {
      const kind = kindsOf[language](letter) ?? fail(place, needs[language]);
      events.push({ kind, atMs, name: letter });
      hasEnded = signs[letter] === kind;
      if (!isInGroup) atMs += columnMs;
    }
    place += letter.length;
  }
  if (opensAt !== undefined) fail(opensAt, "the group is not closed");
  return { events, endsAtMs: atMs };
}

/** What `expectDiagram` expects. */
export interface DiagramOptions {
  /** What is given to the stage, and when; of several sources, a diagram for each. With `!`: that it is cancelled then. */
  readonly in: string | readonly string[];
  /** What the sink is given, and when. With `!`: the sink cancels then. */
  readonly out: string;
  /** How many chunks the sink requests, and when: digits, `*` for all. Default: all from the beginning. */
  readonly demand?: string | undefined;
  /** The chunks that letters stand for. Default: the letter itself. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** The reason of `#`; `undefined` is one, too. Default: an error of its own in `in`, and in `out` any if no `in` fails. */
  readonly error?: unknown;
  /** How long a column is, in milliseconds. A positive integer. Default: 1. */
  readonly columnMs?: number | undefined;
}

/** The same, read. */
export interface DiagramPlan {
  readonly ins: readonly Diagram[];
  readonly out: Diagram;
  readonly demand: Diagram | undefined;
  readonly values: Readonly<Record<string, unknown>>;
  readonly columnMs: number;
}

/** Checks what is expected, and reads its diagrams. */
export function readDiagramOptions(options: DiagramOptions): DiagramPlan {
  const action = "expect diagram";
  if (options === undefined) throwTypeError(action, "options", "an object", options);
  checkOptions(action, options, ["in", "out", "demand", "values", "error", "columnMs"]);
  const { in: given, out, demand, values = {}, columnMs = 1 } = options;
  checkInteger(action, "columnMs", columnMs, 1);
  if (values === null || typeof values !== "object") {
    throwTypeError(action, "values", "an object", values);
  }
  const texts = Array.isArray(given) ? given : [given];
  return {
    ins: texts.map((text, place) => parseDiagram(nameOfIn(texts.length, place), text, columnMs)),
    out: parseDiagram("out", out, columnMs),
    demand: demand === undefined ? undefined : parseDiagram("demand", demand, columnMs, "demand"),
    values,
    columnMs,
  };
}

/** What the diagram of a source is called. */
export function nameOfIn(count: number, place: number): string {
  return count === 1 ? "in" : `in[${place}]`;
}
