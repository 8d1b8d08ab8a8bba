import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import type { Customers, ShopEvent } from "./steps/steps.ts";

const customerCount = 1000;
const regions = ["north", "south", "east", "west"];
const kinds = ["view", "view", "cart", "order", "order"] as const;

/** The customers of the shop, always the same; some who order are not among them. */
export function makeCustomers(): Customers {
  return new Map(Array.from({ length: customerCount }, (_, index) => [
    `customer-${index}`,
    { region: regions[index % regions.length]!, since: 1990 + index % 35 },
  ]));
}

/** Lines of JSON of about 300 bytes, always the same and no two alike; two of five are orders. */
export function* makeEvents(count: number): Generator<string> {
  const random = seededRandom(1);
  const integer = (below: number) => Math.floor(random() * below);
  for (let id = 0; id < count; id++) {
    const event: ShopEvent = {
      id,
      at: new Date(1_750_000_000_000 + id * 137).toISOString(),
      kind: kinds[integer(kinds.length)]!,
      customer: `customer-${integer(customerCount + 50)}`,
      page: {
        path: `/articles/${integer(1e6).toString(36)}/größe-${integer(50)}`,
        referrer: integer(2) === 0 ? null : "https://example.com/search",
      },
      items: Array.from({ length: 1 + integer(4) }, () => ({
        sku: integer(1e9).toString(36),
        count: 1 + integer(5),
        cents: integer(100_000),
      })),
    };
    yield JSON.stringify(event);
  }
}
