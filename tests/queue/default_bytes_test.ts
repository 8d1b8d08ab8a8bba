import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { defaultBytes } from "../../src/queue/default_bytes.ts";

const mebibyte = 2 ** 20;

test("a quarter of the heap may be in flight, 64 MiB at most, and where nothing is known of it", () => {
  assertEquals(defaultBytes(100 * mebibyte), 25 * mebibyte);
  assertEquals(defaultBytes(4_096 * mebibyte), 64 * mebibyte);
  assertEquals(defaultBytes(0), 64 * mebibyte);
  const here = defaultBytes();
  assert(here > mebibyte && here <= 64 * mebibyte, `${here}`);
});
