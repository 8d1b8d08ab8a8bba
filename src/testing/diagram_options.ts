import { checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import type { Diagram } from "./diagram.ts";
import { parseDiagram } from "./parse_diagram.ts";

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
