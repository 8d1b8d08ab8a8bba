import gen from "stream-chain/gen.js";
import stringerToFile from "stream-chain/jsonl/file/stringer.js";
import drain from "stream-chain/utils/drain.js";
import pipe from "stream-chain/utils/pipe.js";
import type { Jobs } from "../job.ts";

export const streamChain: Jobs = {
  async file({ rows, outputPath }) {
    await drain(pipe(gen(() => rows()), stringerToFile(outputPath))(undefined));
  },
};
