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
    whyFaster: {
      kind: "native",
      why:
        "the runtimes' own copies show no chunk to JavaScript, or use one buffer for the whole file; `pipeline` passes on chunks that the reader may keep",
    },
    rates: ["MiB/s"],
    prepare: ({ contestant, params }) =>
      prepareFiles({ workload: name, contestant, sizeKiB: Number(params.fileKiB), isCopied }),
  };
}
