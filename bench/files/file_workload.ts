import type { Workload } from "../measure/workload.ts";
import { contestants } from "./contestants.ts";
import { fileSizeParam } from "./file_size_param.ts";
import { prepareFiles } from "./prepare_files.ts";

/** Makes a workload that reads a file, and copies it or counts. */
export function fileWorkload(
  { name, about, isCopied }: Pick<Workload, "name" | "about"> & { readonly isCopied: boolean },
): Workload {
  return {
    name,
    about,
    isSwept: true,
    params: { fileKiB: fileSizeParam },
    contestants: contestants.map(({ load: _, ...entry }) => entry),
    whyFaster:
      "each runtime copies a file by its own means without showing a chunk to JavaScript, or with one buffer for all of it; a pipeline passes on chunks that the reader may keep",
    rates: ["MiB/s"],
    prepare: ({ contestant, params }) =>
      prepareFiles({ workload: name, contestant, sizeKiB: Number(params.fileKiB), isCopied }),
  };
}
