import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ProbeEvent } from "@hosepipe/streams";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { buildPage } from "../../scripts/playground/build_page.ts";
import { findChromium } from "../package/_find_chromium.ts";
import { visitBackpressure } from "./_backpressure_visit.ts";
import { visitIgnoring } from "./_ignoring_visit.ts";
import { visitMarks } from "./_marks_visit.ts";
import { visitCalmly, visitWhole } from "./_page_visit.ts";
import { expectedAt } from "./_state.ts";
import { visitPage } from "./_visit_page.ts";

const executable = findChromium();
const isRequired = process.env.HOSEPIPE_REQUIRE_CHROMIUM === "1";
const skip = executable === undefined && !isRequired;
// The page runs in the browser, whoever drives it: one runtime is enough.
const isDriver = currentRuntime().name === "deno";

const start = async () => {
  if (executable === undefined) throw new Error("Cannot find Chromium: set HOSEPIPE_CHROMIUM");
  return await visitPage(executable, await buildPage(), {
    backpressure: { use: visitBackpressure },
    ignoring: { use: visitIgnoring },
    marks: { use: visitMarks },
    calm: { viewer: { reducedMotion: "reduce" }, use: visitCalmly },
    narrowLight: { viewer: { width: 390 }, use: visitWhole },
    narrowDark: { viewer: { width: 390, colorScheme: "dark" }, use: visitWhole },
    wideLight: { use: visitWhole },
    wideDark: { viewer: { colorScheme: "dark" }, use: visitWhole },
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
  // How long a call took is known once it is over.
  const known = ({ durationMs: _, ...event }: ProbeEvent) => event;
  assertEquals(afterStep.slice(0, events.length).map(known), events.map(known));
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
      assertMatch(text, /every buffer fills to its mark/);
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
  const { narrowLight, narrowDark, wideLight, wideDark } = await visited();
  for (const visit of [narrowLight, narrowDark, wideLight, wideDark]) {
    assertEquals(visit().found, { violations: [], overflow: 0 });
  }
});

inChromium("no visit makes an error, a warning or a request", async () => {
  for (const visit of Object.values(await visited())) assertEquals(visit().complaints, []);
});
