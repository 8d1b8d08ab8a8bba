import { fileWorkload } from "./file_workload.ts";

/** Copies a file: what reading and writing cost together. */
export const fileToFile = fileWorkload({
  name: "file_to_file",
  about: "a file copied to another, compared byte by byte afterwards",
  isCopied: true,
});
