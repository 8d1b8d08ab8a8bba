import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";

/** What a check reports, as far as planted faults go. */
interface Report {
  readonly held: readonly string[];
  readonly failed: readonly { readonly law: string }[];
  throwIfFailed(): void;
}

/** What a check is given: it is made by `make`, and checked with these options. */
export type Planted<Make, Options> = Make | readonly [make: Make, options: Options];

/** What breaks a law, by the law and by name. */
export type Faults<Each> = Readonly<Record<string, Readonly<Record<string, Each>>>>;

/** A check, what it must find, and what it must leave alone. */
interface PlantedTests<Make, Options> {
  readonly check: (make: Make, options?: Options) => Promise<Report>;
  readonly kind: "source" | "stage" | "sink";
  readonly faulty: Faults<Planted<Make, Options>>;
  readonly right: Readonly<Record<string, Planted<Make, Options>>>;
  /** Those of a faulty one that has none. */
  readonly options?: Options;
  /** The fewest laws that a right one holds. */
  readonly held: number;
}

/** Tests that a check finds each planted fault, and nothing wrong with what is right. */
export function testPlanted<Make extends (...args: never) => unknown, Options>(
  { check, kind, faulty, right, options, held }: PlantedTests<Make, Options>,
): void {
  const title = `${check.name}()`;
  const run = (each: Planted<Make, Options>, options?: Options) =>
    typeof each === "function" ? check(each, options) : check(...each);

  for (const [law, faults] of Object.entries(faulty)) {
    for (const [name, each] of Object.entries(faults)) {
      test(`${title} finds that a ${kind} ${name}: ${law}`, async () => {
        const { failed } = await run(each, options);
        assert(failed.some((broken) => broken.law === law), JSON.stringify(failed));
      });
    }
  }

  for (const [name, each] of Object.entries(right)) {
    test(`${title} finds nothing wrong with ${name}`, async () => {
      const result = await run(each);
      assertEquals(result.failed, []);
      result.throwIfFailed();
      assert(result.held.length >= held, JSON.stringify(result));
    });
  }
}
