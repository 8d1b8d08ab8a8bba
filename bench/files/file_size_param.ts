import type { ParamSpec } from "../measure/workload.ts";
import { integerParam } from "../params/integer_param.ts";

/** The size of a file that is read, the same for every workload that reads one. */
export const fileSizeParam: ParamSpec = integerParam("fileKiB", {
  about: "size of the file in KiB",
  minimum: 0,
  maximum: 4_194_304,
  values: [1, 1024, 65_536],
  quick: [1024],
  full: [1, 64, 1024, 16_384, 262_144, 1_048_576],
});
