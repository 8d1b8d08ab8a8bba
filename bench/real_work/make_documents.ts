import type { OrderDocument } from "./steps.ts";
import { seededRandom } from "../results/seeded_random.ts";

/** Makes `count` JSON texts of about 4 KiB, ASCII, always the same and no two alike. */
export function makeDocuments(count: number): string[] {
  const random = seededRandom(1);
  const integer = (below: number) => Math.floor(random() * below);
  return Array.from({ length: count }, (_, id) => {
    const document: OrderDocument = {
      id,
      lines: Array.from({ length: 106 }, () => ({
        name: `article ${integer(1e6).toString(36)}`,
        cents: integer(100_000),
      })),
    };
    return JSON.stringify(document);
  });
}
