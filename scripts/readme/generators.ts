import type { ResultFile } from "../../bench/lib/result.ts";
import { libraryFigures } from "./library_figures.ts";
import { workloadTables } from "./workload_tables.ts";

/** What may stand between the marks of a document, by name; add yours here. */
export const generators: Readonly<Record<string, (results: ResultFile) => string>> = {
  "copy-lines": (results) => workloadTables(results, "copy_lines"),
  "library": libraryFigures,
};
