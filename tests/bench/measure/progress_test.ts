import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Progress } from "../../../bench/measure/progress.ts";

function recorder(isTTY: boolean) {
  const written: string[] = [];
  return { written, stream: { isTTY, columns: 30, write: (text: string) => written.push(text) } };
}

test("on a terminal the line counts, estimates after three cases, and is cleared", () => {
  const { written, stream } = recorder(true);
  const progress = new Progress(stream, 5);
  for (let index = 0; index < 4; index++) {
    progress.begin("a/b");
    progress.end();
  }
  progress.begin("a case whose name is longer than the terminal is wide");
  progress.clear();
  assertEquals(written.slice(0, 3), ["\r\x1b[K1/5 a/b", "\r\x1b[K2/5 a/b", "\r\x1b[K3/5 a/b"]);
  // deno-lint-ignore no-control-regex
  assertMatch(written[3]!, /^\r\x1b\[K4\/5 a\/b, about \d+ s left$/);
  assert(written[4]!.length <= 4 + 29);
  assertEquals(written.slice(5), ["\r\x1b[K"]);
});

test("cases that come to light later are counted in", () => {
  const { written, stream } = recorder(true);
  const progress = new Progress(stream, 1);
  progress.begin("a");
  progress.end();
  progress.expect(1);
  progress.begin("b");
  assertEquals(written, ["\r\x1b[K1/1 a", "\r\x1b[K2/2 b"]);
});

test("where no one watches nothing is written", () => {
  const { written, stream } = recorder(false);
  const progress = new Progress(stream, 1);
  progress.begin("a/b");
  progress.end();
  progress.clear();
  assertEquals(written, []);
});

test("a terminal that does not say how wide it is gets 80 columns", () => {
  const { written, stream } = recorder(true);
  const progress = new Progress({ ...stream, columns: 0 }, 1);
  progress.begin("x".repeat(100));
  assertEquals(written, ["\r\x1b[K1/1 " + "x".repeat(75)]);
});
