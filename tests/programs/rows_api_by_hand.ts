import { formatNdjson, fuse, map, reader } from "@hosepipe/streams";
import type { Row, RowsApi } from "./_rows_api.ts";

/** The first row again, and those after it; it closes the rest also if it is left before that was begun. */
class Again implements AsyncIterableIterator<Row> {
  readonly #rows: AsyncIterator<Row>;
  #first: Row | undefined;

  constructor(first: Row, rows: AsyncIterator<Row>) {
    this.#first = first;
    this.#rows = rows;
  }

  next(): Promise<IteratorResult<Row>> {
    if (this.#first === undefined) return this.#rows.next();
    const value = this.#first;
    this.#first = undefined;
    return Promise.resolve({ done: false, value });
  }

  async return(): Promise<IteratorResult<Row>> {
    await this.#rows.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Text gathered to blocks of 64 KiB, with what is left at the end. */
function encodeBlocks() {
  const encoder = new TextEncoder();
  let waiting: string[] = [];
  let length = 0;
  const take = () => {
    const block = encoder.encode(waiting.join(""));
    waiting = [];
    length = 0;
    return block;
  };
  return {
    transform(text: string, controller: TransformStreamDefaultController<Uint8Array>) {
      waiting.push(text);
      length += text.length;
      if (length >= 65_536) controller.enqueue(take());
    },
    flush(controller: TransformStreamDefaultController<Uint8Array>) {
      if (length > 0) controller.enqueue(take());
    },
  };
}

/** The same with the stages that were there before. */
export const answerRows: RowsApi = async (request, { query, publish }) => {
  const rows = query(new URL(request.url).searchParams.get("of") ?? "", request.signal)
    [Symbol.asyncIterator]();
  let first;
  try {
    first = await rows.next();
  } catch {
    return Response.json({ error: "the database failed" }, { status: 503 });
  }
  if (first.done) return Response.json({ error: "no rows" }, { status: 404 });
  const body = reader(new Again(first.value, rows))
    .pipeThrough(fuse(map(publish), formatNdjson(), encodeBlocks()));
  return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
};
