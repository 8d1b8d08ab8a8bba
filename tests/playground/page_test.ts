import { Buffer } from "node:buffer";
import process from "node:process";
import { test } from "node:test";
import { deflateRawSync, gzipSync, inflateRawSync } from "node:zlib";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ProbeEvent } from "@hosepipe/streams";
import { seededRandom } from "../../bench/results/seeded_random.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { greedyMakespan } from "../../scenarios/concurrency/greedy_makespan.ts";
import { messageDelays } from "../../scenarios/concurrency/message_delays.ts";
import { demos } from "../../scenarios/demos/demos.ts";
import { recordDemo } from "../../scenarios/demos/record_demo.ts";
import { buildPage } from "../../scripts/playground/build_page.ts";
import { findChromium } from "../package/_find_chromium.ts";
import { visitBackpressure } from "./_backpressure_visit.ts";
import { countedPrograms, programs, visitCode, visitLink } from "./_code_visit.ts";
import { visitCompare } from "./_compare_visit.ts";
import { visitConcurrency } from "./_concurrency_visit.ts";
import { visitHundred } from "./_hundred_visit.ts";
import { visitIgnoring } from "./_ignoring_visit.ts";
import { visitMarks } from "./_marks_visit.ts";
import { visitNode } from "./_node_visit.ts";
import { visitCalmly, visitWhole } from "./_page_visit.ts";
import { visitThreads } from "./_threads_visit.ts";
import { visitRecording } from "./_recording_visit.ts";
import { linkedCode, linkedText, recordOrders } from "./_samples.ts";
import { expectedAt } from "./_state.ts";
import { visitPage } from "./_visit_page.ts";

const executable = findChromium();
const isRequired = process.env.HOSEPIPE_REQUIRE_CHROMIUM === "1";
const skip = executable === undefined && !isRequired;
// The page runs in the browser, whatever drives it: one runtime is enough. The others build it.
const isDriver = currentRuntime().name === "deno";

/** Built once for all tests. */
const page = buildPage();

test("the playground is one page of less than 160 KB that asks for nothing else", async () => {
  const text = await page;
  const size = gzipSync(text).length;
  assert(size < 160_000, `${size} bytes gzipped`);
  assertMatch(text, /^<!doctype html>\n<html lang="en">/);
  assertMatch(text, /default-src 'none'/);
  const head = text.slice(0, text.indexOf("<style>"));
  assertEquals(head.match(/(?:src|href)="(?!data:)[^"]*"/g), null);
  assertEquals(text.match(/<script\b[^>]*>/g)!.length, 2);
  assertEquals(text.match(/<\/script>/g)!.length, 2);
  assertEquals(text.includes("@import"), false);
});

/** A short link to more than a page may hold. */
const longLink = `#code=${deflateRawSync(Buffer.alloc(2_000_000, "a")).toString("base64url")}`;

/** What is not about motion is looked at without it: section 1 would go on drawing all the while. */
const still = { reducedMotion: "reduce" } as const;

const start = async () => {
  if (executable === undefined) throw new Error("Cannot find Chromium: set HOSEPIPE_CHROMIUM");
  const orders = await recordOrders();
  return await visitPage(executable, await page, {
    backpressure: { use: visitBackpressure },
    ignoring: { use: visitIgnoring },
    marks: { viewer: still, use: visitMarks },
    compare: { viewer: still, use: visitCompare },
    concurrency: { viewer: still, use: visitConcurrency },
    node: { viewer: still, use: visitNode },
    hundred: { viewer: still, use: visitHundred },
    threads: { viewer: still, use: visitThreads },
    code: { viewer: still, use: visitCode },
    link: { viewer: { ...still, hash: linkedCode }, use: visitLink },
    longLink: { viewer: { ...still, hash: longLink }, use: visitLink },
    brokenLink: { viewer: { ...still, hash: "#code=%%%" }, use: visitLink },
    recording: { use: (page) => visitRecording(page, orders) },
    calm: { viewer: { reducedMotion: "reduce" }, use: visitCalmly },
    narrowDark: { viewer: { width: 390, colorScheme: "dark" }, use: visitWhole },
    wideLight: { use: visitWhole },
  });
};
let visits: ReturnType<typeof start> | undefined;
/** One visit answers all tests: the browser is closed before the first of them goes on. */
const visited = () => visits ??= start();

function inChromium(name: string, check: () => Promise<void>): void {
  if (isDriver) test(`playground in Chromium: ${name}`, { skip }, check);
}

const marks = { readerOut: 4, transformerIn: 4, transformerOut: 4, writerIn: 4 };

inChromium("a slow writer fills every buffer, and the reader pauses", async () => {
  const { sentence, text, events } = (await visited()).backpressure().found;
  assertMatch(sentence, /The writer is the bottleneck/);
  assertMatch(text, /^\{"format":"hosepipe-probe","version":1,/);
  assert(events.some(({ event, stage }) => event === "backpressure" && stage === "reader"));
});

inChromium("every event that is gone back to is drawn as the probe saw it", async () => {
  const { events, scrubbed, isBack } = (await visited()).backpressure().found;
  assert(events.length > 30, `${events.length} events`);
  assertEquals(scrubbed.length, events.length);
  for (const [index, { occupancy }] of events.entries()) {
    const { buffers, counts } = scrubbed[index]!;
    assertEquals(buffers, expectedAt(occupancy, marks), `event ${index + 1}`);
    const { written, ...inside } = occupancy;
    const sum = Object.values(inside).reduce((one, other) => one + other, 0);
    assertEquals([counts.read, counts.written, counts.inside], [written + sum, written, sum]);
  }
  assertEquals(isBack, "now");
});

inChromium("desiredSize is what the streams themselves say", async () => {
  const { events, scrubbed } = (await visited()).backpressure().found;
  let compared = 0;
  for (const [index, { event, desiredSize, occupancy }] of events.entries()) {
    // While the pipe has room, a chunk is announced as in the queue, and passes it at once.
    if (event !== "read" || occupancy.transformerIn + occupancy.transforming < 4) continue;
    compared++;
    assertEquals(scrubbed[index]!.buffers.readerOut!.desiredSize, desiredSize, `${index}`);
  }
  assert(compared > 2, `${compared} compared`);
});

inChromium("a step releases one call, and goes on from where it stood", async () => {
  const { events, afterStep, newestOfPast } = (await visited()).backpressure().found;
  // How long a call took, and what its enqueue came to, is known once it is over.
  const knownBefore = (event: ProbeEvent, index: number) =>
    Object.fromEntries(Object.entries(event).filter(([key]) => key in events[index]!));
  assertEquals(afterStep.slice(0, events.length).map(knownBefore), events);
  const more = afterStep.slice(events.length);
  assert(more.length > 0);
  assertEquals(new Set(more.map(({ timeMs }) => timeMs)).size, 1, "at one time");
  assertMatch(newestOfPast, /^\d+\.\d\d s: (reader|transformer|writer) /);
});

inChromium("ignored, a buffer grows without an error; heeded again, it drains", async () => {
  const { heeded, ignored, ignoredEvents, isChecked, drained } = (await visited()).ignoring().found;
  for (const { occupancy } of heeded) {
    const { readerOut, writerIn, writing } = occupancy;
    assert(readerOut + writerIn + writing <= 4 + 1, JSON.stringify(occupancy));
  }
  assertEquals(isChecked, "true");
  assertEquals(ignored.desired, 64 * 1024 - ignored.bytes);
  const { count, over, desiredSize } = ignored.shown.buffers.writerIn!;
  assertEquals(count * 16 * 1024, ignored.bytes);
  assertEquals([desiredSize, over > 0], [4 - count, true]);
  const { writerIn, writing, readerOut } = ignoredEvents.at(-1)!.occupancy;
  assert(Math.abs(writerIn + writing + readerOut - count) <= 1);
  assert(ignoredEvents.every(({ event }) => event !== "error"));
  assert(drained.bytes <= 64 * 1024 && drained.desired >= 0);
});

inChromium("what is read ahead is counted, and is the sum of the marks", async () => {
  for (const { marks, read, text, events } of (await visited()).marks().found) {
    const written = events.findIndex(({ event }) => event === "written");
    const before = written < 0 ? events : events.slice(0, written);
    assertEquals(read, before.filter(({ event }) => event === "read").length, `${marks}`);
    if (marks[3] === 0) assertMatch(text, /nothing ever will be/);
    else {
      assertEquals(read, marks.reduce((sum, mark) => sum + mark), `${marks}`);
      assertMatch(text, /every buffer fills up to its highWaterMark/);
    }
    assertMatch(text, read === 5 ? /You said so/ : /You said 5/);
  }
});

inChromium("with less motion nothing moves by itself, and a step is read out", async () => {
  const { play, atRest, isRead, afterStep } = (await visited()).calm().found;
  assertEquals([play, isRead], ["Play", "polite"]);
  assertMatch(atRest, /Nothing has happened yet/);
  assertMatch(afterStep, /^0\.30 s: /);
});

inChromium("axe finds nothing, and nothing stands over the edge", async () => {
  const { narrowDark, wideLight } = await visited();
  for (const visit of [narrowDark, wideLight]) {
    assertEquals(visit().found, { violations: [], overflow: 0 });
  }
});

inChromium("no visit makes an error, a warning or a request", async () => {
  for (const visit of Object.values(await visited())) assertEquals(visit().complaints, []);
});

/** When the pool is done in which only the write that began last lets the next one in. */
function newestAdmitsMs(delays: readonly number[], concurrency: number): number {
  const ends: number[] = [];
  let nowMs = 0;
  for (const [index, delay] of delays.entries()) {
    const inFlight = ends.filter((end) => end > nowMs).length;
    if (inFlight >= concurrency) nowMs = ends[index - 1]!;
    ends.push(nowMs + delay);
  }
  return Math.max(...ends);
}

inChromium("three ways of writing are done when their schedules say so", async () => {
  const { atRest, afterStep, ends, verdict, goneBack } = (await visited()).concurrency().found;
  assertEquals(atRest.map(({ done }) => done), [0, 0, 0]);
  assertEquals(afterStep.reduce((sum, { done }) => sum + done, 0), 1);
  const presets = [[10, 3], [20, 10], [1000, 10]] as const;
  for (const [index, [messages, concurrency]] of presets.entries()) {
    const delays = messageDelays(messages, seededRandom(1));
    assertEquals(ends[index]!.map(({ done, inFlight }) => [done, inFlight]), [
      [messages, 0],
      [messages, 0],
      [messages, 0],
    ]);
    assertEquals(ends[index]!.map(({ finished }) => finished), [
      delays.reduce((sum, delay) => sum + delay, 0),
      newestAdmitsMs(delays, concurrency),
      greedyMakespan(delays, concurrency),
    ]);
  }
  assertMatch(verdict, /times sooner than one slot/);
  assertEquals(goneBack.map(({ done }) => done), [0, 0, 0]);
  assertEquals(goneBack.map(({ inFlight }) => inFlight), [1, 3, 3]);
});

inChromium("demos run live beside node's recording, event for event", async () => {
  const { ends, playing, goneBack } = (await visited()).node().found;
  for (const { number, web, node, webShown, nodeShown } of ends) {
    const demo = demos.find((demo) => demo.number === number)!;
    const seen = (api: "web" | "node") =>
      recordDemo(demo, api, messageDelays(demo.messages, seededRandom(1)));
    const there = await seen("node");
    assertEquals(node, there.length, `${number} on node`);
    // Browsers and Deno have streams of their own; what becomes of the messages is the same.
    const here = (await seen("web")).at(-1)!.occupancy;
    assertEquals(webShown.counts.written, here.written, `${number} on Web Streams`);
    assertEquals(webShown.buffers.transformerOut!.count, here.transformerOut, number);
    assert(web > 0);
    const last = there.at(-1)!.occupancy;
    assertEquals(nodeShown.counts.written, last.written, `${number} on node`);
    assertEquals(nodeShown.buffers.readerOut!.count, last.readerOut, `${number} on node`);
  }
  assert(playing.web > goneBack.web && goneBack.web > 0, `${playing.web}, ${goneBack.web}`);
  assertMatch(playing.sentence, /Web Streams have read \d+ and written \d+; node's have read \d+/);
});

inChromium(
  "two settings answer five questions, and a wrong guess is explained by their events",
  async () => {
    const { wrong, right } = (await visited()).compare().found;
    assertEquals(wrong.map(({ id, answer, a, b }) => [id, answer, a, b]), [
      ["speed", "same", 2600, 2600],
      ["ahead", "B", 4, 7],
      ["batches", "B", 5, 8],
      ["bytes", "B", 2, 3],
      ["transformer", "same", 1, 1],
    ]);
    assertEquals(wrong.map(({ isWhy }) => isWhy), ["false", "true", "true", "true", "false"]);
    for (const { because, text } of wrong) {
      assertMatch(text, /^(?:A|B|Both the same)\. You said (?:so|both the same)\. A: .* B: /);
      for (const lines of because) {
        assert(lines.length > 0 && lines.length <= 4);
        for (const line of lines) {
          assertMatch(
            line,
            /^[\d.]+ s: \w+ .*; the four buffers hold \d+(?:, \d+){3}$/,
          );
        }
      }
    }
    const batches = wrong.find(({ id }) => id === "batches")!;
    assertMatch(batches.because[1]!.at(-1)!, /: reader reads \d+; the four buffers hold 8, /);
    // The picture shows the moment that decided: 5 chunks where 1 fits, two of 1 KiB where 2 KiB fit.
    assertEquals(batches.desired, "-4");
    assertEquals(wrong.find(({ id }) => id === "bytes")!.desired, "0");
    assertEquals([right.answer, right.isWhy], ["B", "false"]);
    assertMatch(right.text, /^B\. You said so\./);
  },
);

inChromium("a hundred stages are measured, and compared in words", async () => {
  const { ways, text, figures } = (await visited()).hundred().found;
  assertEquals(ways.map(({ way }) => way), ["native", "fuse", "pipeline", "loop"]);
  for (const { way, ns } of ways) assert(ns > 0 && Number.isFinite(ns), `${way}: ${ns}`);
  const [native, , pipeline] = ways.map(({ ns }) => ns) as [number, number, number];
  const ratio = native >= pipeline ? native / pipeline : pipeline / native;
  const times = ratio >= 10 ? String(Math.round(ratio)) : ratio.toFixed(1);
  const word = native >= pipeline ? "faster" : "slower";
  assertMatch(text, new RegExp(`^pipeline is ${times} times ${word} than native here`));
  assertEquals(figures[2], `${times} times ${word} than native`);
});

inChromium("threads are measured, and give the same sums", async () => {
  const { times, figures } = (await visited()).threads().found;
  assertEquals(times.map(({ threads }) => threads), [1, 2, 4]);
  assert(times.every(({ ms }) => ms > 0));
  assertMatch(figures[0]!.trim(), /^[\d,]+ blocks, [\d,]+ ms of work$/);
  assertMatch(figures[2]!, /^[\d.]+ times one thread [\d,]+ blocks, [\d,]+ ms of work$/);
});

inChromium("code runs in a worker, and what its streams do is drawn", async () => {
  const { native, scrubbed, pulled, buffers, drawn, counted } = (await visited()).code().found;
  assertEquals(native.printed.length, 31);
  assertEquals(native.printed.slice(0, 3), ["1", "4", "9"]);
  assertMatch(native.text, /^Done after [\d.]+ s\. The writer is the bottleneck/);
  const most = (kind: string) => Math.max(...scrubbed.map(({ buffers }) => buffers[kind]!.count));
  assertEquals(
    ["readerOut", "transformerIn", "transformerOut", "writerIn"].map(most),
    [4, 2, 2, 3],
  );
  assertEquals(scrubbed.at(-1)!.counts, { read: 30, transformed: 30, written: 30, inside: 0 });
  assertEquals(pulled.printed.at(-1), "40 read, 20 written");
  assertEquals(buffers, 0, "a pipeline has no buffers");
  assertEquals(drawn, { AsyncGenerator: 40, filter: 40, parallel: 20, map: 20, function: 20 });
  assertEquals(counted, countedPrograms.map(([, counts]) => counts));
});

inChromium("recipes are loaded by their names, and run", async () => {
  const { recipes } = (await visited()).code().found;
  assert(recipes.length >= 3, `${recipes.length}`);
  for (const { name, text } of recipes) assertMatch(text, /^Done after /, name);
});

inChromium("an error is shown at its line", async () => {
  const { failing, outcomes } = (await visited()).code().found;
  assertEquals([failing.line, failing.marked], ["8", ["8"]]);
  assertEquals(failing.text, "Line 8: RangeError: three is no number");
  assertEquals(failing.printed, ["1", "2"]);
  assertEquals(outcomes.length, programs.length);
  const [syntax, runtime, foreign, late, whole] = outcomes;
  assertEquals([syntax!.line, syntax!.marked], ["2", ["2"]]);
  assertMatch(syntax!.text, /^Line 2: SyntaxError: /);
  assertEquals([runtime!.line, runtime!.printed], ["4", ["begins"]]);
  assertEquals(
    foreign!.text,
    'Line 1: Cannot import "elsewhere": only "@hosepipe/streams" and "@std/assert" are here',
  );
  assertEquals([late!.line, late!.text], ["2", "Line 2: Error: late"]);
  assertEquals(whole!.printed, ['function {"a":true} [1]']);
});

inChromium("an endless loop is noticed, and can be stopped", async () => {
  const { silent, stopped } = (await visited()).code().found;
  assertMatch(silent.text, /endless loop\? Stop ends it/);
  assertEquals(silent.printed, ["a loop that never ends: Stop ends it"]);
  assertEquals(stopped.text, "Stopped.");
});

inChromium("the editor can be left by the keyboard", async () => {
  const { indented, hasLeft } = (await visited()).code().found;
  assertEquals([indented.trimEnd(), hasLeft], ["  let tab;", true]);
});

inChromium("a link holds the code, and does not run it", async () => {
  const { code, hash } = (await visited()).code().found;
  const packed = Buffer.from(hash.replace("#code=", ""), "base64url");
  assertEquals(inflateRawSync(packed).toString(), code);
  const { text, ran, notice } = (await visited()).link().found;
  assertEquals([text, ran], [linkedText, 0]);
  assertMatch(notice, /came with the link/);
  const broken = (await visited()).brokenLink().found;
  assertMatch(broken.notice, /damaged/);
  assertMatch(broken.text, /^import \{ filter, map, parallel, pipeline \}/);
  const long = (await visited()).longLink().found;
  assertMatch(long.notice, /damaged/);
  assertEquals(long.text, broken.text);
});

inChromium("recordings are opened, gone through, and refused with their line", async () => {
  const { saved, own, title, opened, failures } = (await visited()).recording().found;
  assertEquals(own.length, saved.events.length);
  for (const [index, { occupancy }] of saved.events.entries()) {
    assertEquals(own[index]!.buffers, expectedAt(occupancy, marks), `event ${index + 1}`);
  }
  assertMatch(title, /^orders: inbox → shout → shelf\. \d+ events\./);
  assertEquals(opened.at(-1)!.counts, { read: 3, transformed: 3, written: 3, inside: 0 });
  const [empty, headless, text, version, line] = failures as [
    string,
    string,
    string,
    string,
    string,
  ];
  assertMatch(empty, /the file is empty$/);
  assertMatch(headless, /no header/);
  assertMatch(text, /line 1 is no JSON$/);
  assertMatch(version, /its version is 9, known is 1$/);
  assertMatch(line, /line \d+ is no event$/);
});
