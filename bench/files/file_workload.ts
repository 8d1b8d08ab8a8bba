import type { ParamSpec, Workload } from "../measure/workload.ts";
import { defineWorkload } from "../measure/define_workload.ts";
import { contestants } from "./contestants.ts";
import { prepareFiles } from "./prepare_files.ts";
import { integerParam } from "../params/integer_param.ts";

/** The size of a file that is read, the same for every workload that reads one. */
const fileSizeParam: ParamSpec = integerParam("fileKiB", {
  about: "size of the file in KiB",
  minimum: 0,
  maximum: 4_194_304,
  values: [1, 1024, 65_536],
  quick: [1024],
  full: [1, 64, 1024, 16_384, 262_144, 1_048_576],
});

/** Makes a workload that reads a file, and copies it or counts. */
export function fileWorkload(
  { name, about, isCopied }: Pick<Workload, "name" | "about"> & { readonly isCopied: boolean },
): Workload {
  return defineWorkload({
    name,
    about,
    isSwept: true,
    params: { fileKiB: fileSizeParam },
    contestants,
    whyFaster:
      "the runtimes' own copies show no chunk to JavaScript, or use one buffer for the whole file; `pipeline` passes on chunks that the reader may keep",
    rates: ["MiB/s"],
    prepare: (run, { contestant, params }) =>
      prepareFiles(run, { contestant, sizeKiB: Number(params.fileKiB), isCopied }),
  });
}
