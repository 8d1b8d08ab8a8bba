import type { Attack } from "./attack.ts";
import {
  manyReaders,
  never,
  outOfFiles,
  overwritten,
  pipelined,
  resets,
  slowReaders,
} from "./connection_attacks.ts";
import { foreignHost, hostile, manyRanges, slowHeaders } from "./request_attacks.ts";

/** Every attack, in the order in which they are tried. */
export const attacks: readonly Attack[] = [
  hostile("ways out", "ways out of the root"),
  hostile("targets", "hidden files, links, pipes, odd targets"),
  hostile("hosts", "odd hosts"),
  hostile("headers", "odd headers"),
  foreignHost,
  slowHeaders,
  manyRanges,
  resets,
  pipelined,
  slowReaders,
  manyReaders,
  overwritten,
  never,
  outOfFiles,
];
