import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { findChromium } from "./_find_chromium.ts";
import { type BrowserReport, runInChromium } from "./_run_in_chromium.ts";

const executable = findChromium();
const isRequired = process.env.HOSEPIPE_REQUIRE_CHROMIUM === "1";
const isSkipped = executable === undefined && !isRequired;
const asked: string[] = [];
let report: Promise<BrowserReport> | undefined;

/** One visit answers all tests: the browser is closed before the first of them goes on. */
function visit(): Promise<BrowserReport> {
  if (executable === undefined) throw new Error("Cannot find Chromium: set HOSEPIPE_CHROMIUM");
  return report ??= runInChromium(executable, new URL("./_page.ts", import.meta.url), {
    "/names.txt": "Ada\r\n\n  Grace \nZoë",
  });
}

function testInPage(name: string, answer: string, expected: unknown): void {
  asked.push(answer);
  if (isSkipped) return;
  test(`bundled, in Chromium: ${name}`, async () => {
    assertEquals((await visit()).answers[answer], expected);
  });
}

testInPage("a pipeline", "runPipeline", {
  words: ["be", "or", "not", "be"],
  chunksRead: 2,
  chunksWritten: 4,
});

testInPage(
  "fuse between the native streams of fetch, text and compression",
  "fuseBetweenNativeStreams",
  "Hello, Ada!\nHello, Grace!\nHello, Zoë!\n",
);

const squares = Array.from({ length: 1000 }, (_, n) => n * n).filter((n) => n % 3 !== 0);
const batches = JSON.stringify(
  Array.from({ length: Math.ceil(squares.length / 4) }, (_, n) => squares.slice(n * 4, n * 4 + 4)),
);
testInPage("fuse gives what the native chain gives", "fuseAgainstNative", {
  fused: batches,
  native: batches,
});

testInPage("take ends an endless source, which is read no further", "takeFromEndless", {
  taken: [0, 1, 2],
  pulled: 3,
  isClosed: true,
});

testInPage("parallel keeps the order and its concurrency", "runParallel", {
  results: [10, 20, 30, 40, 50, 60, 70],
  most: 3,
});

testInPage("reader reads pages, writer writes two at a time", "readAndWrite", {
  written: [10, 11, 20, 21, 30, 31],
  most: 2,
  closed: 1,
});

testInPage("undefined thrown by a stage reaches both ends", "failWithUndefined", [
  "aborted: undefined",
  "cancelled: undefined",
  "rejected: undefined",
]);

testInPage("a signal stops a pipeline with its reason", "abortBySignal", {
  isReason: true,
  written: 5,
});

if (isSkipped) {
  test(
    "Chromium (not found here: set HOSEPIPE_CHROMIUM to its executable)",
    { skip: true },
    () => {},
  );
} else {
  test("in Chromium nothing is complained of, and each function of the page has answered", async () => {
    const { answers, complaints } = await visit();
    assertEquals(complaints, []);
    assertEquals(Object.keys(answers).sort(), asked.sort());
  });
}
