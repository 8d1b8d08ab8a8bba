import { test } from "node:test";
import v8 from "node:v8";
import { assert, assertEquals } from "@std/assert";
import { defaultBytes } from "../../src/queue/consumer.ts";

const mebibyte = 2 ** 20;

test("a quarter of the heap may be in flight, 64 MiB at most, and where nothing is known of it", () => {
  assertEquals(defaultBytes(100 * mebibyte), 25 * mebibyte);
  assertEquals(defaultBytes(4_096 * mebibyte), 64 * mebibyte);
  assertEquals(defaultBytes(0), 64 * mebibyte);
  const here = defaultBytes();
  assert(here > mebibyte && here <= 64 * mebibyte, `${here}`);
});

test("the runtime is asked for its limit once: one of them looks at the whole heap for it", () => {
  const { getHeapStatistics } = v8;
  const known = defaultBytes();
  v8.getHeapStatistics = () => {
    throw new Error("It was asked again");
  };
  try {
    assertEquals(defaultBytes(), known);
  } finally {
    v8.getHeapStatistics = getHeapStatistics;
  }
});
