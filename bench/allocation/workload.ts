import { contestants } from "./contestants.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { integerParam } from "../params/integer_param.ts";

const count = 16;

/** Writes to both ends, so that no engine can do without the buffer. */
function touch(buffer: Uint8Array): void {
  buffer[0] = 1;
  buffer[buffer.length - 1] = 1;
}

/** Whether a zeroed buffer is, apart from what `touch` wrote. */
function isUntouched(buffer: Uint8Array): boolean {
  for (let at = 1; at < buffer.length - 1; at++) if (buffer[at] !== 0) return false;
  return true;
}

function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const { isZeroed, create } = findContestant("allocation", contestants, contestant);
  const size = Number(params.sizeKiB) * 1024;
  const allocate = create(size);
  let last: Uint8Array | undefined;
  return Promise.resolve({
    // deno-lint-ignore require-await -- a case answers with a promise
    async run() {
      for (let index = 0; index < count; index++) {
        last = allocate(size);
        touch(last);
      }
    },
    async verify() {
      if (last?.length !== size) {
        throw new Error(`Cannot accept ${contestant}: ${last?.length} of ${size} bytes`);
      }
      if (isZeroed && !isUntouched(last)) {
        throw new Error(`Cannot accept ${contestant}: the buffer is not zeroed`);
      }
      return await Promise.resolve({
        chunks: count,
        bytes: count * size,
        digest: `${count} buffers of ${size} bytes`,
      });
    },
    dispose: () => Promise.resolve(),
  });
}

/** Buffers, made and let go: what a chunk costs before any stream. */
export const allocation: Workload = {
  name: "allocation",
  about: `${count} buffers, each written to at both ends and let go`,
  params: {
    sizeKiB: integerParam("sizeKiB", {
      about: "size of a buffer in KiB",
      minimum: 1,
      maximum: 1_048_576,
      values: [1, 1024, 32_768],
      quick: [64],
      full: Array.from({ length: 16 }, (_, power) => 2 ** power),
    }),
  },
  contestants: contestants.map(({ isZeroed: _, create: __, ...entry }) => entry),
  rates: ["ns per chunk"],
  prepare,
};
