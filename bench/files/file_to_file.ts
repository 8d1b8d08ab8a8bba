import { contestants } from "./contestants.ts";
import type { Workload } from "../measure/workload.ts";
import { fileSizeParam } from "./file_size_param.ts";
import { prepareFiles } from "./prepare_files.ts";

/** Copies a file: what reading and writing cost together. */
export const fileToFile: Workload = {
  name: "file_to_file",
  about: "a file copied to another, compared byte by byte afterwards",
  isSwept: true,
  params: { fileKiB: fileSizeParam },
  contestants: contestants.map(({ load: _, ...entry }) => entry),
  whyFaster:
    "each runtime copies a file by its own means without showing a chunk to JavaScript, or with one buffer for all of it; a pipeline passes on chunks that the reader may keep",
  rates: ["MiB/s"],
  prepare: ({ contestant, params }) =>
    prepareFiles({
      workload: "file_to_file",
      contestant,
      sizeKiB: Number(params.fileKiB),
      isCopied: true,
    }),
};
