import type { RunMemory } from "./contestants.ts";
import type { PreparedCase } from "../measure/workload.ts";

/** How much passes through how many stages. */
interface MemorySize {
  readonly chunkBytes: number;
  readonly count: number;
  readonly stages: number;
}

/** Makes a job in memory ready, whose sink looks at both ends of each chunk; the whole must arrive in each run. */
export function prepareMemory(
  run: RunMemory,
  contestant: string,
  { chunkBytes, count, stages }: MemorySize,
): PreparedCase {
  const chunk = Uint8Array.from({ length: chunkBytes }, (_, index) => 97 + index % 26);
  let chunks = 0;
  let bytes = 0;
  let check = 0;
  const take = (taken: Uint8Array) => {
    chunks++;
    bytes += taken.length;
    check += taken[0]! + taken[taken.length - 1]!;
  };
  return {
    async run() {
      chunks = bytes = check = 0;
      await run({ chunk, count, stages, take });
    },
    verify() {
      if (chunks === count && bytes === count * chunkBytes) {
        const digest = `${chunks} chunks, ${bytes} bytes, check ${check}`;
        return Promise.resolve({ chunks, bytes, digest });
      }
      return Promise.reject(
        new Error(
          `Cannot accept ${contestant}: ${chunks} of ${count} chunks and ` +
            `${bytes} of ${count * chunkBytes} bytes arrived`,
        ),
      );
    },
    dispose: () => Promise.resolve(),
  };
}
