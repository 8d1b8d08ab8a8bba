import { throwTypeError } from "../errors.ts";
import { type Diagram, type DiagramEvent, type DiagramKind, signs } from "./diagram.ts";

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
export function parseDiagram(
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
