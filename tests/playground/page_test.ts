/// <reference lib="dom" />
import { readFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { deflateRawSync, gzipSync, inflateRawSync } from "node:zlib";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ProbeEvent } from "@hosepipe/streams/inspect";
import type { Locator, Page } from "playwright-core";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { buildPage } from "../../scripts/playground/build_page.ts";
import { testVisit, type Viewer, violationsOf } from "../package/_visit.ts";

/** Waits until nothing moves: what was begun when the page was paused, or stepped, has ended. */
async function settled(section: Locator): Promise<void> {
  await section.locator(".playback[data-settled=true]").waitFor();
}

/** Saves the recording by its button; answers its events. */
async function saveRecording(page: Page, section: Locator): Promise<{
  readonly text: string;
  readonly events: readonly ProbeEvent[];
}> {
  const download = page.waitForEvent("download");
  await section.locator("[data-do=save]").click();
  const text = await readFile(await (await download).path(), "utf8");
  const [, ...events] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  return { text, events };
}

async function outcomeOf(section: Locator, state: string) {
  const outcome = section.locator(`[data-state=${state}][role=status]`);
  await outcome.waitFor();
  return {
    text: await outcome.innerText(),
    line: await outcome.getAttribute("data-line"),
    marked: await section.locator(".lines .bad").allInnerTexts(),
    printed: await section.locator(".printed").allInnerTexts(),
  };
}

/** How many chunks each stage has had, as it is drawn. */
async function countsIn(section: Locator): Promise<Record<string, number>> {
  const boxes = await section.locator("[data-counted]").evaluateAll((elements) =>
    elements.map((element) => {
      const { counted, of } = (element as unknown as { dataset: Record<string, string> }).dataset;
      return [counted!, Number(of)] as const;
    })
  );
  return Object.fromEntries(boxes);
}

/** Programs whose chunks were counted by hand. */
const countedPrograms: readonly (readonly [code: string, counts: Record<string, number>])[] = [
  [
    `import { filter, toArray } from "@hosepipe/streams";
const isOdd = (n) => n % 2 === 1;
console.log(await toArray([1, 2, 3], filter(isOdd)));`,
    { Array: 3, "filter(isOdd)": 3 },
  ],
  [
    `import { flatMap, map, pipeline } from "@hosepipe/streams";
await pipeline([1, 2, 3], flatMap((n) => [n, n]), map((n) => n), map((n) => n), function save() {});`,
    { Array: 3, flatMap: 3, map: 6, "map 2": 6, save: 6 },
  ],
  [
    `import { filter, map } from "@hosepipe/streams";
const numbers = new ReadableStream({
  start(controller) {
    for (let n = 1; n <= 6; n++) controller.enqueue(n);
    controller.close();
  },
});
await numbers.pipeThrough(new TransformStream(filter((n) => n > 2)))
  .pipeThrough(new TransformStream(map((n) => n)))
  .pipeTo(new WritableStream({ write() {} }));`,
    { reader: 6, filter: 6, map: 4, writer: 4 },
  ],
];

/** Built once for all tests. */
const built = buildPage();

test("the playground is one page of less than 160 KB that asks for nothing else", async () => {
  const text = await built;
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

/** What is not about motion is looked at without it: section 1 would go on drawing all the while. */
const still = { reducedMotion: "reduce" } as const;

function inChromium(
  name: string,
  use: (page: Page) => Promise<void>,
  viewer: Viewer = still,
  hash = "",
): void {
  // The page runs in the browser, whatever drives it: one runtime is enough. The others build it.
  if (currentRuntime().name !== "deno") return;
  const site = async () => new Map([["index.html", await built]]);
  testVisit(`playground in Chromium: ${name}`, site, async (open) => {
    await use(await open(`index.html${hash}`, viewer));
  });
}

inChromium(
  "a slow writer fills every buffer; a step releases one call, and goes on",
  async (page) => {
    const section = page.locator("#backpressure");
    const paused = section.locator("[data-stage=reader][data-state=paused]");
    // It runs by itself.
    await section.locator("[data-count=written]:not(:text-is('0'))").waitFor();
    await section.getByLabel("A write takes").press("End");
    await section.getByLabel("speed").selectOption("16");
    await paused.waitFor();
    await section.locator(".now[data-kind=writer]").waitFor();
    // Between two reads it may be paused only for a moment, and not all be full.
    for (const kind of ["readerOut", "transformerIn", "transformerOut"]) {
      await section.locator(`[data-buffer=${kind}].shut`).waitFor();
    }
    await section.locator("[data-do=play]").click();
    await settled(section);
    assertMatch(await section.locator(".now").innerText(), /The writer is the bottleneck/);
    const { text, events } = await saveRecording(page, section);
    assertMatch(text, /^\{"format":"hosepipe-probe","version":1,/);
    assert(events.some(({ event, stage }) => event === "backpressure" && stage === "reader"));
    const newest = await section.locator(".log li").first().innerText();
    assertMatch(newest, /^\d+\.\d\d s: (reader|transformer|writer) /);

    // A step is one call: something happens at once.
    await section.locator("[data-do=step]").click();
    await settled(section);
    const { events: afterStep } = await saveRecording(page, section);
    // How long a call took, and what its enqueue came to, is known once it is over.
    const knownBefore = (event: ProbeEvent, index: number) =>
      Object.fromEntries(Object.entries(event).filter(([key]) => key in events[index]!));
    assertEquals(afterStep.slice(0, events.length).map(knownBefore), events);
    const more = afterStep.slice(events.length);
    assertEquals(new Set(more.map(({ timeMs }) => timeMs)).size, 1, "at one time");

    await section.getByLabel("A write takes").press("Home");
    await section.getByRole("button", { name: "Play" }).press("Enter");
    await section.locator("[data-buffer=transformerIn]:not(.shut)").waitFor();
    await section.locator("[data-buffer=readerOut][data-waiting='0']").waitFor();
    await section.locator("[data-do=restart]").click();
  },
  {},
);

for (const viewer of [{ width: 390, colorScheme: "dark" }, {}] as const) {
  inChromium(
    `axe finds nothing, and nothing stands over the edge: ${JSON.stringify(viewer)}`,
    async (page) => {
      // What is shown only after use is looked at, too.
      await page.locator("#marks").getByLabel("Your guess").fill("5");
      await page.locator("#marks [data-do=run]").click();
      await page.locator("#marks [data-do=finish]").click();
      await page.locator("#marks [data-read]").waitFor();
      await page.locator("#code").getByLabel("Begin with").selectOption("2");
      await page.locator("#code [data-do=run]").click();
      await page.locator("#code [data-state=failed]").waitFor();
      assertEquals(await violationsOf(page), []);
      const overflow = await page.evaluate(() => {
        // Sections cut off what stands over their edge, and the page would not know of it.
        const boxes = [document.documentElement, ...document.querySelectorAll("section")];
        return Math.max(...boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
      });
      assertEquals(overflow, 0);
      // Containment of style would begin to number anew in each section.
      const containments = await page.locator("section").evaluateAll((sections) =>
        sections.map((section) => getComputedStyle(section as Element).contain)
      );
      assertEquals(containments, Array(10).fill("layout paint"));
    },
    viewer,
  );
}

inChromium(
  "code runs in a worker, what its streams do is drawn, and an endless loop can be stopped",
  async (page) => {
    const section = page.locator("#code");
    const run = section.locator("[data-do=run]");
    const example = section.getByLabel("Begin with");

    // It begins with a pipeline.
    await run.click();
    await section.getByText("pulls: nothing is read").waitFor();
    assertEquals((await outcomeOf(section, "done")).printed.at(-1), "40 read, 20 written");
    assertEquals(await section.locator("[data-buffer]").count(), 0, "a pipeline has no buffers");
    const drawn = { AsyncGenerator: 40, filter: 40, parallel: 20, map: 20, function: 20 };
    assertEquals(await countsIn(section), drawn);

    await example.selectOption("1");
    await run.click();
    const native = await outcomeOf(section, "done");
    assertEquals([native.printed.length, native.printed.slice(0, 3)], [31, ["1", "4", "9"]]);
    assertMatch(native.text, /^Done after [\d.]+ s\. The writer is the bottleneck/);

    await example.selectOption("2");
    await run.click();
    const failing = await outcomeOf(section, "failed");
    assertEquals([failing.line, failing.marked, failing.printed], ["8", ["8"], ["1", "2"]]);
    assertEquals(failing.text, "Line 8: RangeError: three is no number");

    await example.selectOption("3");
    await run.click();
    const silent = await outcomeOf(section, "silent");
    assertMatch(silent.text, /endless loop\? Stop ends it/);
    await section.locator("[data-do=stop]").press("Enter");
    assertEquals((await outcomeOf(section, "stopped")).text, "Stopped.");
  },
);

/** Code, what it must end as, its line, and what is said or printed. */
const programs: readonly (readonly [string, code: string, line: string | null, said: RegExp])[] = [
  ["failed", "const a = 1;\nconst b = ;\nconsole.log(a, b);\n", "2", /^Line 2: SyntaxError: /],
  ["failed", "console.log('begins');\n\n\nnull.length;\n", "4", /begins$/],
  [
    "failed",
    "import { nothing } from 'elsewhere';\n",
    "1",
    /^Line 1: Cannot import "elsewhere": only "@hosepipe\/streams", "@hosepipe\/streams\/inspect", "node:assert\/strict" are here/,
  ],
  [
    "failed",
    "setTimeout(() => {\n  throw new Error('late');\n});\nawait new Promise(() => {});\n",
    "2",
    /^Line 2: Error: late/,
  ],
  [
    "done",
    "import * as all from '@hosepipe/streams';\nconsole.log(typeof all.pipeline, { a: 1n < 2 }, [1]);\n",
    null,
    /function \{"a":true\} \[1\]$/,
  ],
];

inChromium(
  "an error is shown at its line, chunks are counted, and a link holds the code",
  async (page) => {
    const section = page.locator("#code");
    const field = section.getByRole("textbox", { name: "Your code" });
    for (const [state, code, line, said] of programs) {
      await field.fill(code);
      await field.press("Control+Enter");
      const found = await outcomeOf(section, state);
      assertEquals(found.line, line, code);
      assertMatch([found.text, ...found.printed].join("\n"), said);
    }
    for (const [code, counts] of countedPrograms) {
      await field.fill(code);
      await field.press("Control+Enter");
      await outcomeOf(section, "done");
      assertEquals(await countsIn(section), counts);
    }
    const code = "// ü 漢 🚿\nconsole.log('from a link');\n";
    await field.fill(code);
    await section.locator("[data-do=link]").click();
    await section.locator("[data-notice]:not(:empty)").waitFor();
    const packed = Buffer.from(new URL(page.url()).hash.replace("#code=", ""), "base64url");
    assertEquals(inflateRawSync(packed).toString(), code);
  },
);

const linked = "console.log('from a link: ü 🚿');\n";
const linkOf = (code: string | Buffer) => `#code=${deflateRawSync(code).toString("base64url")}`;
const first = /^import \{ filter, map, parallel, pipeline \}/;

for (
  const [what, hash, text, notice] of [
    [
      "is shown, and does not run",
      linkOf(linked),
      /^console\.log\('from a link: ü 🚿'\);\n$/,
      /came with/,
    ],
    ["that is none is damaged", "#code=%%%", first, /damaged/],
    ["of more than a page may hold is", linkOf(Buffer.alloc(2_000_000, "a")), first, /damaged/],
  ] as const
) {
  inChromium(
    `the code of a link ${what}`,
    async (page) => {
      const section = page.locator("#code");
      await section.getByText(/came with the link|is damaged/).waitFor();
      assertMatch(await section.getByRole("textbox", { name: "Your code" }).innerText(), text);
      assertEquals(await section.locator("[data-state]").count(), 0);
      assertMatch(await section.locator("[data-notice]").innerText(), notice);
    },
    still,
    hash,
  );
}
