import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Buffer } from "node:buffer";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import process from "node:process";
import { test } from "node:test";
import { deflateRawSync, gzipSync, inflateRawSync } from "node:zlib";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { buildPage } from "../../scripts/playground/build_page.ts";
import { findChromium } from "../package/_find_chromium.ts";

/** How the page is looked at. */
interface Viewer {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  readonly reducedMotion?: "reduce";
  /** What follows the address of the page. */
  readonly hash?: string;
}

/** What a visit found, or why it failed; and what the browser complained of, or asked the network for. */
interface Visited<Found> {
  readonly found: Found;
  readonly complaints: readonly string[];
}

/** One part of the tests: opens the page once, uses it, and answers what it found. */
interface Visit<Found> {
  readonly viewer?: Viewer;
  readonly use: (page: Page) => Promise<Found>;
}

async function visitOnce<Found>(
  browser: Browser,
  address: string,
  { viewer = {}, use }: Visit<Found>,
): Promise<Visited<Found>> {
  const { width = 1440, colorScheme = "light", reducedMotion, hash = "" } = viewer;
  const context = await browser.newContext({
    ...{ viewport: { width, height: 900 }, colorScheme, reducedMotion },
    ...{ acceptDownloads: true, offline: true },
  });
  try {
    const page = await context.newPage();
    // Many programs may share the machine: what is waited for may take long, and is waited for by what it is.
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(`uncaught: ${error}`));
    page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(address) && !/^(?:data|blob):/.test(url)) complaints.push(`asked ${url}`);
    });
    await page.goto(address + hash);
    return { found: await use(page), complaints };
  } finally {
    await context.close();
  }
}

/** Opens a page in Chromium from a file, offline, once for each visit; each answers for itself. */
async function visitPage<Visits extends Record<string, Visit<unknown>>>(
  executablePath: string,
  html: string,
  visits: Visits,
): Promise<{ [Name in keyof Visits]: () => Visited<Awaited<ReturnType<Visits[Name]["use"]>>> }> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-playground-"));
  const file = join(folder, "index.html");
  try {
    await writeFile(file, html);
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    try {
      const answers: Record<string, () => Visited<unknown>> = {};
      for (const [name, visit] of Object.entries(visits)) {
        answers[name] = await visitOnce(browser, pathToFileURL(file).href, visit).then(
          (visited) => () => visited,
          (error) => () => {
            throw error;
          },
        );
      }
      return answers as never;
    } finally {
      await browser.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

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

/** What `linkedCode` holds. */
const linkedText = "console.log('from a link: ü 🚿');\n";

/** The end of an address that holds code. */
const linkedCode: string = `#code=${deflateRawSync(linkedText).toString("base64url")}`;

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { html: string }[];
  }[];
}

const axe = new URL("../../node_modules/axe-core/axe.min.js", import.meta.url);

/** What axe finds wrong, by rule and element; and what stands over the page's edge. */
async function visitWhole(page: Page) {
  // What is shown only after use is looked at, too.
  await page.locator("#marks").getByLabel("Your guess").fill("5");
  await page.locator("#marks [data-do=run]").click();
  await page.locator("#marks [data-do=finish]").click();
  await page.locator("#marks [data-read]").waitFor();
  await page.locator("#code").getByLabel("Begin with").selectOption("2");
  await page.locator("#code [data-do=run]").click();
  await page.locator("#code [data-state=failed]").waitFor();
  await page.addScriptTag({ content: await readFile(axe, "utf8") });
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    // What is right is long, and of no use here.
    return (await axe.run({ resultTypes: ["violations"] })).violations;
  });
  const overflow = await page.evaluate(() => {
    interface Box {
      readonly scrollWidth: number;
      readonly clientWidth: number;
    }
    const { document } = globalThis as never as {
      document: { documentElement: Box; querySelectorAll(selector: string): Iterable<Box> };
    };
    // Sections cut off what stands over their edge, and the page would not know of it.
    const boxes = [document.documentElement, ...document.querySelectorAll("section")];
    return Math.max(...boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  });
  return {
    violations: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    overflow,
  };
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

/** Code, what it must end as, and its line. */
const programs: readonly (readonly [state: string, code: string])[] = [
  ["failed", "const a = 1;\nconst b = ;\nconsole.log(a, b);\n"],
  ["failed", "console.log('begins');\n\n\nnull.length;\n"],
  ["failed", "import { nothing } from 'elsewhere';\n"],
  ["failed", "setTimeout(() => {\n  throw new Error('late');\n});\nawait new Promise(() => {});\n"],
  [
    "done",
    "import * as all from '@hosepipe/streams';\nconsole.log(typeof all.pipeline, { a: 1n < 2 }, [1]);\n",
  ],
];

/** Section 9: runs the examples, breaks code, stops an endless loop, and passes code on by its link. */
async function visitCode(page: Page) {
  const section = page.locator("#code");
  const run = section.locator("[data-do=run]");
  const field = section.getByRole("textbox", { name: "Your code" });
  const example = section.getByLabel("Begin with");

  // It begins with a pipeline.
  await run.click();
  await section.getByText("pulls: nothing is read").waitFor();
  const pulled = await outcomeOf(section, "done");
  const buffers = await section.locator("[data-buffer]").count();
  const drawn = await countsIn(section);

  await example.selectOption("1");
  await run.click();
  const native = await outcomeOf(section, "done");

  await example.selectOption("2");
  await run.click();
  const failing = await outcomeOf(section, "failed");

  await example.selectOption("3");
  await run.click();
  await section.locator("[data-state=silent]").waitFor();
  const silent = await outcomeOf(section, "silent");
  await section.locator("[data-do=stop]").press("Enter");
  const stopped = await outcomeOf(section, "stopped");

  const outcomes = [];
  for (const [state, code] of programs) {
    await field.fill(code);
    await field.press("Control+Enter");
    outcomes.push(await outcomeOf(section, state));
  }

  const counted = [];
  for (const [code] of countedPrograms) {
    await field.fill(code);
    await field.press("Control+Enter");
    await outcomeOf(section, "done");
    counted.push(await countsIn(section));
  }

  const code = "// ü 漢 🚿\nconsole.log('from a link');\n";
  await field.fill(code);
  await section.locator("[data-do=link]").click();
  await section.locator("[data-notice]:not(:empty)").waitFor();
  const hash = new URL(page.url()).hash;
  return {
    native,
    pulled,
    buffers,
    drawn,
    counted,
    failing,
    silent,
    stopped,
    outcomes,
    hash,
    code,
  };
}

/** Code that came with a link: it is shown, and does not run by itself. */
async function visitLink(page: Page) {
  const section = page.locator("#code");
  await section.getByText(/came with the link|is damaged/).waitFor();
  const field = section.getByRole("textbox", { name: "Your code" });
  const text = await field.innerText();
  const ran = await section.locator("[data-state]").count();
  const notice = await section.locator("[data-notice]").innerText();
  return { text, ran, notice };
}

/** Section 1: slows the writer, pauses, goes back through all that was, and speeds it up again. */
async function visitBackpressure(page: Page) {
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

  const sentence = await section.locator(".now").innerText();
  const { text, events } = await saveRecording(page, section);
  const newest = await section.locator(".log li").first().innerText();

  // A step is one call: something happens at once.
  await section.locator("[data-do=step]").click();
  await settled(section);
  const afterStep = await saveRecording(page, section);

  await section.getByLabel("A write takes").press("Home");
  await section.getByRole("button", { name: "Play" }).press("Enter");
  await section.locator("[data-buffer=transformerIn]:not(.shut)").waitFor();
  await section.locator("[data-buffer=readerOut][data-waiting='0']").waitFor();
  await section.locator("[data-do=restart]").click();
  return {
    sentence,
    text,
    events,
    newest,
    afterStep: afterStep.events,
  };
}

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
  return await visitPage(executable, await page, {
    backpressure: { use: visitBackpressure },
    code: { viewer: still, use: visitCode },
    link: { viewer: { ...still, hash: linkedCode }, use: visitLink },
    longLink: { viewer: { ...still, hash: longLink }, use: visitLink },
    brokenLink: { viewer: { ...still, hash: "#code=%%%" }, use: visitLink },
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

inChromium("a slow writer fills every buffer, and the reader pauses", async () => {
  const { sentence, text, events } = (await visited()).backpressure().found;
  assertMatch(sentence, /The writer is the bottleneck/);
  assertMatch(text, /^\{"format":"hosepipe-probe","version":1,/);
  assert(events.some(({ event, stage }) => event === "backpressure" && stage === "reader"));
});

inChromium("a step releases one call, and goes on from where it stood", async () => {
  const { events, afterStep, newest } = (await visited()).backpressure().found;
  // How long a call took, and what its enqueue came to, is known once it is over.
  const knownBefore = (event: ProbeEvent, index: number) =>
    Object.fromEntries(Object.entries(event).filter(([key]) => key in events[index]!));
  assertEquals(afterStep.slice(0, events.length).map(knownBefore), events);
  const more = afterStep.slice(events.length);
  assert(more.length > 0);
  assertEquals(new Set(more.map(({ timeMs }) => timeMs)).size, 1, "at one time");
  assertMatch(newest, /^\d+\.\d\d s: (reader|transformer|writer) /);
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

inChromium("code runs in a worker, and what its streams do is drawn", async () => {
  const { native, pulled, buffers, drawn, counted } = (await visited()).code().found;
  assertEquals(native.printed.length, 31);
  assertEquals(native.printed.slice(0, 3), ["1", "4", "9"]);
  assertMatch(native.text, /^Done after [\d.]+ s\. The writer is the bottleneck/);
  assertEquals(pulled.printed.at(-1), "40 read, 20 written");
  assertEquals(buffers, 0, "a pipeline has no buffers");
  assertEquals(drawn, { AsyncGenerator: 40, filter: 40, parallel: 20, map: 20, function: 20 });
  assertEquals(counted, countedPrograms.map(([, counts]) => counts));
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
    'Line 1: Cannot import "elsewhere": only "@hosepipe/streams", "@hosepipe/streams/inspect", "node:assert/strict" are here',
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
