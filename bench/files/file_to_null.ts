import { fileWorkload } from "./file_workload.ts";

/** Reads a file and counts: what reading alone costs. */
export const fileToNull = fileWorkload({
  name: "file_to_null",
  about: "a file read from end to end, its chunks counted",
  isCopied: false,
});
