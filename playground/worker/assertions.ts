import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { formatValue } from "./format_value.ts";

type Assertion = (actual: unknown, ...rest: unknown[]) => unknown;

const all = { assert, assertEquals, assertInstanceOf, assertMatch, assertRejects, assertThrows };

/** The assertions of `@std/assert` that examples use; each prints what it found to be right. */
export function makeAssertions(print: (text: string) => void): Readonly<Record<string, Assertion>> {
  const telling = (name: string, check: Assertion): Assertion => (actual, ...rest) => {
    const outcome = check(actual, ...rest);
    const say = (value: unknown) => print(`✓ ${name}: ${formatValue(value)}`);
    if (!(outcome instanceof Promise)) {
      say(name === "assertThrows" ? outcome : actual);
      return outcome;
    }
    return outcome.then((reason: unknown) => {
      say(reason);
      return reason;
    });
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, check]) => [name, telling(name, check as Assertion)]),
  );
}
