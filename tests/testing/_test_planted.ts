import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";

/** What a check reports, as far as planted faults go. */
interface Report {
  readonly held: readonly string[];
  readonly failed: readonly { readonly law: string }[];
  throwIfFailed(): void;
}

/** What a check is given, and by which name. */
interface Planted<Make, Options> {
  readonly name: string;
  readonly make: Make;
  readonly options?: Options;
}

/** A check, what it must find, and what it must leave alone. */
interface PlantedTests<Make, Options> {
  readonly check: (make: Make, options?: Options) => Promise<Report>;
  readonly kind: "source" | "stage" | "sink";
  readonly faulty: readonly (Planted<Make, Options> & { readonly law?: string })[];
  readonly right: readonly Planted<Make, Options>[];
  /** The fewest of each, and the fewest laws that a right one holds. */
  readonly least: { readonly faulty: number; readonly right: number; readonly held: number };
}

/** Tests that a check finds each planted fault, and nothing wrong with what is right. */
export function testPlanted<Make, Options>(planted: PlantedTests<Make, Options>): void {
  const { check, kind, faulty, right, least } = planted;
  const title = `${check.name}()`;

  test(`${title} has ${least.faulty} planted faults and ${least.right} right ${kind}s to tell apart, or more`, () => {
    assert(faulty.length >= least.faulty && right.length >= least.right);
  });

  for (const { name, law, make, options } of faulty) {
    test(`${title} finds that a ${kind} ${name}: ${law}`, async () => {
      const { failed } = await check(make, options);
      assert(failed.some((broken) => broken.law === law), JSON.stringify(failed));
    });
  }

  for (const { name, make, options } of right) {
    test(`${title} finds nothing wrong with ${name}`, async () => {
      const result = await check(make, options);
      assertEquals(result.failed, []);
      result.throwIfFailed();
      assert(result.held.length >= least.held, JSON.stringify(result));
    });
  }
}
