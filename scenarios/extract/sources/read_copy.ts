import type { Buffer } from "node:buffer";
import type { Piece } from "../source.ts";
import type { CopiedRows } from "./copied_rows.ts";
import type { PostgresSession } from "./postgres_session.ts";

/** Bytes of lines that are held before the server has to wait. */
const heldBytes = 262_144;

/**
 * Reads what a COPY gives, as lines. Where the connection gives the bytes they are taken from it; otherwise each row
 * comes from the driver.
 *
 * @throws {Error} If the server has sent other rows than it says, or fails.
 */
export async function* readCopy(
  { sql, socket }: PostgresSession,
  statement: string,
  rows: CopiedRows,
): AsyncGenerator<Piece, void> {
  let end: { readonly failure?: unknown } | undefined;
  let sent: number | undefined;
  let wake = () => {};
  const finish = (how: { readonly failure?: unknown }) => {
    end ??= how;
    wake();
  };
  const isTapped = socket?.canCopy === true;
  let pause = () => void socket!.pause();
  let resume = () => void socket!.resume();
  let isPaused = false;
  let isOver = false;
  const onRows = () => {
    if (rows.bytes >= heldBytes) {
      isPaused = true;
      pause();
    }
    wake();
  };
  const failures: unknown[] = [];
  // What a row throws is no failure of the connection, whose other messages still are the driver's.
  const add = (bytes: Buffer, from: number, to: number) => {
    if (isOver || failures.length > 0) return;
    try {
      rows.add(bytes, from, to);
    } catch (failure) {
      failures.push(failure);
      finish({ failure });
    }
  };
  if (isTapped) socket.startCopy({ add, onRows, onCount: (count) => void (sent = count) });
  const stream = await sql.unsafe(statement).readable();
  if (!isTapped) {
    pause = () => void stream.pause();
    resume = () => void stream.resume();
  }
  stream.on("data", (row: Buffer) => {
    add(row, 0, row.length);
    onRows();
  });
  stream.once("end", () => finish({}));
  stream.once("error", (failure) => finish({ failure }));
  stream.once("close", () => finish({ failure: new Error("the connection was closed") }));
  try {
    while (true) {
      if (failures.length > 0) throw failures[0];
      const pieces = rows.take();
      if (isPaused) {
        isPaused = false;
        resume();
      }
      if (pieces.length > 0) yield* pieces;
      else if (end !== undefined) {
        if ("failure" in end) throw end.failure;
        if (sent !== undefined && sent !== rows.count) {
          throw new Error(`the server sent ${sent} rows, but ${rows.count} came`);
        }
        return;
      } else await new Promise<void>((resolve) => wake = resolve);
    }
  } finally {
    isOver = true;
    // Nothing takes the rest; what ends the session ends this.
    if (end === undefined || failures.length > 0) pause();
    stream.destroy();
  }
}
