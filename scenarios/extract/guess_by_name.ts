import type { compressions } from "./compressed_output.ts";
import type { formatNames } from "./formats/format_options.ts";

const compressionOf = { gz: "gzip", zst: "zstd" } as const;
const formatOf = { csv: "csv", tsv: "tsv", ndjson: "ndjson", jsonl: "ndjson" } as const;

/** What the end of a file's name says of its content, such as `.tsv.gz`. */
export function guessByName(name: string): {
  readonly format: (typeof formatNames)[number] | undefined;
  readonly compress: (typeof compressions)[number] | undefined;
} {
  const [, format, compression] =
    /^.*?(?:\.(csv|tsv|ndjson|jsonl))?(?:\.(gz|zst))?$/is.exec(name) ?? [];
  return {
    format: formatOf[format?.toLowerCase() as keyof typeof formatOf],
    compress: compressionOf[compression?.toLowerCase() as keyof typeof compressionOf],
  };
}
