import type { OrderDocument } from "./steps.ts";
import type { RealWorker } from "./job.ts";
import type { PreparedCase } from "../measure/workload.ts";

/** Makes the parsing of documents ready; the sum must be the one that a plain loop finds. */
export function prepareJson(
  contestant: string,
  { json }: RealWorker,
  documents: readonly string[],
): PreparedCase {
  let chunks = 0;
  let sum = 0;
  const expected = documents
    .flatMap((text) => (JSON.parse(text) as OrderDocument).lines)
    .reduce((sum, { cents }) => sum + cents, 0);
  return {
    async run() {
      chunks = 0;
      sum = 0;
      await json!({
        texts: () => documents.values(),
        take(total) {
          chunks++;
          sum += total;
        },
      });
    },
    async verify() {
      if (chunks !== documents.length || sum !== expected) {
        throw new Error(
          `Cannot accept ${contestant}: ${chunks} of ${documents.length} documents, ` +
            `${sum} of ${expected} cents`,
        );
      }
      const bytes = documents.reduce((sum, { length }) => sum + length, 0);
      return await Promise.resolve({ chunks, bytes, digest: `${chunks} documents, ${sum} cents` });
    },
    dispose: () => Promise.resolve(),
  };
}
