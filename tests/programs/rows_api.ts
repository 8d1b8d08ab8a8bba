import { encode, formatNdjson, fuse, map, peek } from "@hosepipe/streams";
import type { Row, RowsApi } from "./_rows_api.ts";

/** Answers with the rows of a query, and with a status that is true: an early failure comes before the headers. */
export const answerRows: RowsApi = async (request, { query, publish }) => {
  const rows = query(new URL(request.url).searchParams.get("of") ?? "", request.signal);
  let peeked;
  try {
    peeked = await peek<Row>(rows);
  } catch {
    return Response.json({ error: "the database failed" }, { status: 503 });
  }
  if (peeked.chunks.length === 0) return Response.json({ error: "no rows" }, { status: 404 });
  const body = peeked.source.pipeThrough(fuse(map(publish), formatNdjson(), encode()));
  return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
};
