import { addAbortSignal, finished, type Readable, type Writable } from "node:stream";
import { setImmediate } from "node:timers";
import { type Kind, Work } from "./work.ts";

/** How a program ends its stream. */
export const endings = [
  "end",
  "end, destroy",
  "destroy",
  "destroy(error)",
  "signal",
  "nothing",
] as const;

/** What is done to a stream. */
export interface Program {
  readonly mark: number;
  readonly writes: number;
  readonly isCorked: boolean;
  readonly kind: Kind;
  readonly ending: typeof endings[number];
  /** Turns of the event loop before its end, and before its work is settled. */
  readonly turns: number;
  /** Whether the work is settled before its end. */
  readonly isSettledFirst: boolean;
  readonly isRead: boolean;
}

/** A turn of the event loop. */
export const turn = (): Promise<void> => new Promise<void>((resolve) => void setImmediate(resolve));

/** What tells one error from another: its code, or its message. */
export function nameOf(error: unknown): string {
  const { code, message } = Object(error);
  return error == null ? String(error) : code ?? message;
}

/** Runs a program on the stream that `make` makes, and answers all that could be seen of it, in order. */
export async function runProgram(
  program: Program,
  make: (work: Work, mark: number, chunks: number) => Writable | Readable,
): Promise<string[]> {
  // Each begins alike: in Bun what comes first after a call is not what comes first after a promise.
  await turn();
  const work = new Work(program.kind);
  const { log } = work;
  const stream = make(work, program.mark, program.writes);
  const controller = new AbortController();
  if (program.ending === "signal") addAbortSignal(controller.signal, stream);
  for (const event of ["finish", "close", "end", "drain"]) {
    stream.on(event, () => log.push(event));
  }
  stream.on("error", (error) => log.push(`error ${nameOf(error)}`));
  finished(stream, (error) => log.push(`finished ${nameOf(error)}`));
  if (program.isRead) (stream as Readable).resume?.();
  const sink = "write" in stream ? stream : undefined;
  if (program.isCorked) sink?.cork();
  for (let index = 0; sink !== undefined && index < program.writes; index++) {
    sink.write(index, (error) => log.push(`callback ${index} ${nameOf(error)}`));
  }
  for (let count = 0; count < program.turns; count++) await turn();
  if (program.isSettledFirst && work.settle()) await turn();
  if (program.ending.startsWith("end")) {
    sink?.end((error?: Error) => log.push(`ended ${nameOf(error)}`));
  }
  if (program.ending === "destroy" || program.ending === "end, destroy") stream.destroy();
  if (program.ending === "destroy(error)") stream.destroy(new Error("destroyed"));
  if (program.ending === "signal") controller.abort(new Error("stopped"));
  do for (let count = 0; count < 3; count++) await turn(); while (work.settle());
  const { closed, destroyed, errored, writableFinished, writableEnded } = stream as Writable;
  log.push(`${closed} ${destroyed} ${writableEnded} ${writableFinished} ${nameOf(errored)}`);
  return log;
}
