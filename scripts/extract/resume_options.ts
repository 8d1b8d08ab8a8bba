import { readAddress } from "../../scenarios/secrets/read_address.ts";
import type { ExtractFlags } from "./read_extract_flags.ts";

/** What another run must be asked for too if it is to go on, by the names of the flags. */
export function resumeOptions(
  { selection, format, compress, onBadRow }: ExtractFlags,
  address: string,
): Record<string, unknown> {
  const { from, fields, maxValueBytes } = selection;
  return {
    source: readAddress(address).name,
    table: from.kind === "table" ? from.name : null,
    collection: from.kind === "collection" ? from.name : null,
    filter: from.kind === "collection" ? from.filter ?? null : null,
    fields: fields?.map(({ path, title }) => `${path}:${title}`).join(",") ?? null,
    format: format.format,
    header: format.header ?? true,
    null: format.nullText ?? "",
    quote: format.quote ?? "minimal",
    delimiter: format.delimiter ?? ",",
    bom: format.bom ?? false,
    "escape-formulas": format.escapeFormulas ?? false,
    compress: compress ?? null,
    "max-value": maxValueBytes,
    "row-security": selection.isPartial || null,
    "on-bad-row": onBadRow,
  };
}
