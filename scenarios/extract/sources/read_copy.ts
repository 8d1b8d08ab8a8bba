import type { Buffer } from "node:buffer";
import type { Readable } from "node:stream";

/** Rows that are held before the server has to wait. */
const heldBytes = 262_144;

/** Reads what a COPY gives, of which each part is a row, as many at a time as have come. */
export async function* readCopy(stream: Readable): AsyncGenerator<readonly Buffer[], void> {
  let held: Buffer[] = [];
  let bytes = 0;
  let end: { readonly failure?: unknown } | undefined;
  let wake = () => {};
  stream.on("data", (row: Buffer) => {
    held.push(row);
    bytes += row.length;
    if (bytes >= heldBytes) stream.pause();
    wake();
  });
  stream.once("end", () => {
    end ??= {};
    wake();
  });
  stream.once("error", (failure) => {
    end ??= { failure };
    wake();
  });
  stream.once("close", () => {
    end ??= { failure: new Error("the connection was closed") };
    wake();
  });
  try {
    while (true) {
      if (held.length > 0) {
        const rows = held;
        held = [];
        bytes = 0;
        if (stream.isPaused()) stream.resume();
        yield rows;
      } else if (end !== undefined) {
        if ("failure" in end) throw end.failure;
        return;
      } else await new Promise<void>((resolve) => wake = resolve);
    }
  } finally {
    stream.destroy();
  }
}
