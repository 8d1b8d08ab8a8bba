import { factReader } from "../semantics/read_fact.ts";
import { latestMeasured } from "../semantics/latest_measured.ts";
import { markdownTable } from "./markdown_table.ts";

const places = [
  ["ReadableStream, Readable", "reader"],
  ["TransformStream, Transform: in", "transf. in"],
  ["TransformStream, Transform: out", "transf. out"],
  ["WritableStream, Writable", "writer"],
] as const;

/** The highWaterMark of each buffer if none is given. */
export function semanticsDefaults(): string {
  const read = factReader(latestMeasured());
  return markdownTable(
    ["default highWaterMark of", "Web Streams, chunks", "node, objects", "node, bytes"],
    places.map(([name, row]) => [
      name,
      ...["web, chunks", "node, objects", "node, bytes"].map((column) =>
        read("defaults", row, column)
      ),
    ]),
  );
}
