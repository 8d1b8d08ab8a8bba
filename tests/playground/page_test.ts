import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { test } from "node:test";
import { deflateRawSync, gzipSync, inflateRawSync } from "node:zlib";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { map, pipeline } from "@hosepipe/streams";
import { type Occupancy, probe, type ProbeEvent } from "@hosepipe/streams/inspect";
import type { Locator, Page } from "playwright-core";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { greedyMakespan } from "../../scenarios/concurrency/greedy_makespan.ts";
import { messageDelays } from "../../scenarios/concurrency/message_delays.ts";
import { demos } from "../../scenarios/demo/demos.ts";
import { recordDemo } from "../../scenarios/demo/record_demo.ts";
import { buildPage } from "../../scripts/playground/build_page.ts";
import { findChromium } from "../package/_find_chromium.ts";
import { visitPage } from "./_visit_page.ts";

/** Section 8: measures threads, and stops a second measurement. */
async function visitThreads(page: Page) {
  const section = page.locator("#threads");
  await section.locator("[data-do=measure]").click();
  await section.getByRole("button", { name: "Measure again" }).waitFor();
  const times = await section.locator("[data-threads]").evaluateAll((elements) =>
    (elements as unknown as readonly { dataset: Readonly<Record<string, string>> }[])
      .map(({ dataset: { threads, ms } }) => ({ threads: Number(threads), ms: Number(ms) }))
  );
  const figures = await section.locator(".ratio").allInnerTexts();
  await section.getByRole("button", { name: "Measure again" }).press("Enter");
  await section.getByRole("button", { name: "Stop" }).press("Enter");
  await section.getByRole("button", { name: "Measure now" }).waitFor();
  return { times, figures };
}

/** What a picture shows of one buffer. */
interface ShownBuffer {
  readonly count: number;
  readonly desiredSize: number;
  readonly isShut: boolean;
  /** Slots that are filled. */
  readonly filled: number;
  /** Slots that are filled beyond the mark. */
  readonly over: number;
}

/** What a picture of a pipeline shows. */
interface Shown {
  readonly buffers: Readonly<Record<string, ShownBuffer>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly reader: string;
}

interface Element {
  readonly dataset: Readonly<Record<string, string>>;
  readonly classList: { contains(name: string): boolean };
  readonly textContent: string;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
}

interface Slider {
  readonly max: string;
  value: string;
}

/** Runs in the page: reads a picture. */
function readHose(section: unknown): Shown {
  const root = section as Element;
  const buffers: Record<string, ShownBuffer> = {};
  for (const buffer of root.querySelectorAll("[data-buffer]")) {
    const { waiting, inHand, desiredSize, buffer: kind } = buffer.dataset;
    const slots = [...buffer.querySelectorAll(".slot")];
    buffers[kind!] = {
      count: Number(waiting) + Number(inHand),
      desiredSize: Number(desiredSize),
      isShut: buffer.classList.contains("shut"),
      filled: slots.filter(({ classList }) => !classList.contains("free")).length,
      over: slots.filter(({ classList }) => classList.contains("over")).length,
    };
  }
  const counts: Record<string, number> = {};
  for (const { dataset, textContent } of root.querySelectorAll("[data-count]")) {
    counts[dataset.count!] = Number(textContent.replaceAll(",", ""));
  }
  return { buffers, counts, reader: root.querySelector("[data-stage=reader]")!.dataset.state! };
}

/** Waits until nothing moves: what was begun when the page was paused, or stepped, has ended. */
async function settled(section: Locator): Promise<void> {
  await section.locator(".playback[data-settled=true]").waitFor();
}

/** What a picture shows now. */
function shownIn(section: Locator): Promise<Shown> {
  return section.evaluate(readHose);
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

/** Goes back through all events by the slider, and reads what is shown at each. */
async function scrubThrough(section: Locator): Promise<Shown[]> {
  // A function is sent without what it uses.
  await section.page().addScriptTag({ content: `globalThis.readHose = ${readHose}` });
  return await section.evaluate(async (element) => {
    const root = element as never as { querySelector(selector: string): EventTarget & Slider };
    const { readHose: read } = globalThis as never as { readHose: typeof readHose };
    const slider = root.querySelector(".scrubber input");
    const shown = [];
    const places = Number(slider.max);
    for (let place = 0; place < places; place++) {
      slider.value = String(place);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve));
      shown.push(read(root));
    }
    return shown;
  });
}

/** What a picture must show at an event of a probe, by the marks. */
function expectedAt(occupancy: Occupancy, marks: Readonly<Record<string, number>>) {
  const { readerOut, transformerIn, transforming, transformerOut, writerIn, writing } = occupancy;
  const counts: Record<string, number> = {
    readerOut,
    transformerIn: transformerIn + transforming,
    transformerOut,
    writerIn: writerIn + writing,
  };
  return Object.fromEntries(
    Object.entries(counts).map(([kind, count]) => [kind, {
      count,
      desiredSize: marks[kind]! - count,
      isShut: marks[kind]! <= count,
      filled: count,
      over: Math.max(0, count - marks[kind]!),
    }]),
  );
}

/** What `linkedCode` holds. */
const linkedText = "console.log('from a link: ü 🚿');\n";

/** The end of an address that holds code. */
const linkedCode: string = `#code=${deflateRawSync(linkedText).toString("base64url")}`;

/** A recording of a program's own pipeline. */
async function recordOrders(): Promise<string> {
  const look = probe({ name: "orders" });
  await pipeline(
    look.reader(["a", "b", "c"], { name: "inbox" }),
    look.transformer(map((text: string) => text.toUpperCase()), { name: "shout" }),
    look.writer(() => {}, { name: "shelf" }),
  );
  return look.toJsonLines();
}

/** Drops a file on an element, as the browser would. */
async function drop(target: Locator, name: string, text: string): Promise<void> {
  await target.evaluate((element, [name, text]) => {
    const { DataTransfer, DragEvent } = globalThis as never as {
      DataTransfer: new () => { items: { add(file: File): void } };
      DragEvent: new (type: string, init: object) => Event;
    };
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text!], name!));
    for (const type of ["dragover", "drop"]) {
      const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
      (element as unknown as EventTarget).dispatchEvent(event);
    }
  }, [name, text]);
}

/** Opens recordings: one of the page's own, one of a program's, and what is none. */
async function visitRecording(page: Page, made: string) {
  const section = page.locator("#recording");
  const live = page.locator("#backpressure");
  await live.locator("[data-count=written]:not(:text-is('0'))").waitFor();
  await live.locator("[data-do=play]").click();
  await settled(live);
  const saved = await saveRecording(page, live);
  // Anywhere on the page.
  await drop(page.locator("h1"), "pipeline.jsonl", saved.text);
  await section.locator("[data-opened=pipeline]").waitFor();
  const own = await scrubThrough(section);

  await section.locator("input[type=file]").setInputFiles({
    ...{ name: "made.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(made) },
  });
  await section.locator("[data-opened=orders]").waitFor();
  const title = await section.locator(".opened > .now").innerText();
  const opened = await scrubThrough(section);

  const failures = [];
  for (
    const text of [
      "",
      "{}",
      "no json",
      made.replace(/"version":1/, '"version":9'),
      `${made}{"a":1}\n`,
    ]
  ) {
    await drop(section, "broken.jsonl", text);
    const failure = section.locator("[data-failure]");
    await failure.waitFor();
    failures.push(await failure.innerText());
    await drop(section, "made.jsonl", made);
    await section.locator("[data-opened=orders]").waitFor();
  }
  return { saved, own, title, opened, failures };
}

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

/** With less motion nothing moves by itself; a step does. */
async function visitCalmly(page: Page) {
  const section = page.locator("#backpressure");
  await section.getByText("Your system asks for less motion").waitFor();
  const play = await section.locator("[data-do=play]").innerText();
  const atRest = await section.locator(".log").innerText();
  const isRead = await section.locator(".log").getAttribute("aria-live");
  await section.locator("[data-do=step]").press("Enter");
  await section.locator(".log li").first().waitFor();
  return { play, atRest, isRead, afterStep: await section.locator(".log li").first().innerText() };
}

/** Section 6: runs demos to their end, and goes back to a moment in between. */
async function visitNode(page: Page) {
  const section = page.locator("#node");
  const demo = section.getByLabel("Demo");
  const side = (name: string) => section.locator(`[data-api=${name}]`);
  const count = async (name: string) => Number(await side(name).getAttribute("data-events"));
  const look = async () => ({
    ...{ web: await count("web"), node: await count("node") },
    ...{ webShown: await shownIn(side("web")), nodeShown: await shownIn(side("node")) },
    sentence: await section.locator(".now").innerText(),
  });
  const ends = [];
  for (const number of ["01", "02", "03", "04", "05", "06"]) {
    await demo.selectOption(number);
    await section.locator("[data-do=finish]").click();
    await settled(section);
    ends.push({ number, ...await look() });
  }
  await demo.selectOption("03");
  await section.getByLabel("speed").selectOption("16");
  await section.locator("[data-do=play]").click();
  await section.locator("[data-api=web] [data-count=written]:not(:text-is('0'))").waitFor();
  await section.locator("[data-do=play]").click();
  await settled(section);
  const playing = await look();
  await section.getByLabel("go back").press("Home");
  return { ends, playing, goneBack: await look() };
}

const names = ["reader out", "transformer in", "transformer out", "writer in"];

/** Marks to try, in the order of the buffers. */
const triedMarks: readonly (readonly number[])[] = [
  [2, 1, 0, 3],
  [0, 1, 0, 1],
  [3, 2, 5, 0],
];

/** Section 3: sets marks by the keyboard, guesses, and looks. */
async function visitMarks(page: Page) {
  const section = page.locator("#marks");
  const found = [];
  for (const marks of triedMarks) {
    for (const [place, mark] of marks.entries()) {
      const slider = section.getByLabel(names[place]!, { exact: true });
      await slider.press("Home");
      for (let presses = 0; presses < mark; presses++) await slider.press("ArrowRight");
    }
    await section.getByLabel("Your guess").fill("5");
    await section.getByLabel("Your guess").press("Enter");
    await section.locator("[data-do=finish]").click();
    await settled(section);
    const answer = section.locator("[data-read]");
    await answer.waitFor();
    const { events } = await saveRecording(page, section);
    found.push({
      marks,
      read: Number(await answer.getAttribute("data-read")),
      text: await answer.innerText(),
      events,
    });
  }
  return found;
}

/** Section 2: ignores backpressure, heeds it again, and lets the buffer drain. */
async function visitIgnoring(page: Page) {
  const section = page.locator("#ignoring");
  const control = section.getByRole("switch", { name: "Ignore backpressure" });
  const read = () =>
    section.evaluate((element) => {
      const { querySelector } = element as never as {
        querySelector(selector: string): { dataset: Record<string, string> };
      };
      const ask = (selector: string) => querySelector.call(element, selector).dataset;
      return {
        bytes: Number(ask("[data-bytes]").bytes),
        desired: Number(ask("[data-desired]").desired),
      };
    });
  const waitFor = async (isSo: (bytes: number) => boolean) => {
    while (!isSo((await read()).bytes)) await page.waitForTimeout(20);
  };
  const pause = async () => {
    await section.getByRole("button", { name: "Pause" }).click();
    await settled(section);
  };
  await section.getByLabel("speed").selectOption("16");
  await section.getByRole("button", { name: "Play" }).click();
  await waitFor((bytes) => bytes > 0);
  await section.locator("[data-count=written]:not(:text-is('0'))").waitFor();
  await pause();
  const heeded = await saveRecording(page, section);

  await control.press("Space");
  await section.getByRole("button", { name: "Pause" }).waitFor();
  await waitFor((bytes) => bytes > 1024 ** 2);
  await pause();
  const ignored = { ...await read(), shown: await shownIn(section) };
  const isChecked = await control.getAttribute("aria-checked");
  const ignoredEvents = (await saveRecording(page, section)).events;

  await control.click();
  await waitFor((bytes) => bytes <= 64 * 1024);
  await pause();
  const drained = await read();
  return { heeded: heeded.events, ignored, ignoredEvents, isChecked, drained };
}

/** Section 7: measures, and stops a second measurement. */
async function visitHundred(page: Page) {
  const section = page.locator("#hundred");
  await section.locator("[data-do=measure]").click();
  await section.locator(".now").waitFor();
  const ways = await section.locator("[data-way]").evaluateAll((elements) =>
    (elements as unknown as readonly { dataset: Readonly<Record<string, string>> }[])
      .map(({ dataset: { way, ns } }) => ({ way, ns: Number(ns) }))
  );
  const text = await section.locator(".now").innerText();
  const figures = await section.locator(".ratio").allInnerTexts();
  await section.getByRole("button", { name: "Measure again" }).press("Enter");
  await section.getByRole("button", { name: "Stop" }).press("Enter");
  await section.getByRole("button", { name: "Measure now" }).waitFor();
  return { ways, text, figures };
}

/** Section 4: runs each preset to its end, and goes back to a moment of it. */
async function visitConcurrency(page: Page) {
  const section = page.locator("#concurrency");
  const timelines = section.locator("[data-contestant]");
  const read = () =>
    timelines.evaluateAll((elements) =>
      (elements as unknown as readonly { dataset: Readonly<Record<string, string>> }[])
        .map(({ dataset: { contestant, finished, done, inFlight } }) => ({
          ...{ contestant, finished: Number(finished) },
          ...{ done: Number(done), inFlight: Number(inFlight) },
        }))
    );
  // It is at rest until it is played; each step is one write that ends.
  const atRest = await read();
  await section.locator("[data-do=step]").click();
  await settled(section);
  const afterStep = await read();

  const ends = [];
  for (const preset of ["0", "1", "2"]) {
    await section.getByLabel("Write", { exact: true }).selectOption(preset);
    await section.locator("[data-do=finish]").click();
    await settled(section);
    ends.push(await read());
  }
  const verdict = await section.locator(".now").innerText();
  await section.getByLabel("Write", { exact: true }).selectOption("0");
  await section.locator("[data-do=finish]").press("Enter");
  await settled(section);
  await section.getByLabel("go back").press("Home");
  const goneBack = await read();
  return { atRest, afterStep, ends, verdict, goneBack };
}

/** Section 4: predicts the same of both in each question, runs them, and reads what decides; then predicts rightly. */
async function visitCompare(page: Page) {
  const section = page.locator("#compare");
  const answer = section.locator(".answer");
  const ask = async (id: string, guess: string) => {
    await section.getByLabel("Question").selectOption(id);
    await section.locator(`input[value=${guess}]`).check();
    await section.locator("[data-do=run]").click();
    await section.locator("[data-do=finish]").click();
    await settled(section);
    await section.locator("[data-answer]").waitFor();
    const because = section.locator(".because");
    return {
      id,
      answer: await answer.getAttribute("data-answer"),
      a: Number(await answer.getAttribute("data-a")),
      b: Number(await answer.getAttribute("data-b")),
      text: await section.locator(".answer .now").innerText(),
      isWhy: await section.locator("[data-because]").getAttribute("data-because"),
      because: [
        await because.nth(0).locator("li").allInnerTexts(),
        await because.nth(1).locator("li").allInnerTexts(),
      ],
      desired: await section.locator("[data-setting=A] [data-buffer=readerOut]")
        .getAttribute("data-desired-size"),
    };
  };
  const ids = await section.locator("#compare-question option").evaluateAll((options) =>
    options.map((option) => (option as unknown as { readonly value: string }).value)
  );
  const wrong = [];
  for (const id of ids) wrong.push(await ask(id, "same"));
  const right = await ask("batches", "B");
  return { wrong, right };
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
  const scrubbed = await scrubThrough(section);

  await example.selectOption("2");
  await run.click();
  const failing = await outcomeOf(section, "failed");

  await example.selectOption("3");
  await run.click();
  await section.locator("[data-state=silent]").waitFor();
  const silent = await outcomeOf(section, "silent");
  await section.locator("[data-do=stop]").press("Enter");
  const stopped = await outcomeOf(section, "stopped");

  const recipes = [];
  const names = await example.locator("optgroup").nth(1).locator("option").allInnerTexts();
  for (const name of names) {
    await example.selectOption({ label: name });
    await run.click();
    const { text } = await outcomeOf(section, "done");
    recipes.push({ name, text });
  }

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

  // Tab indents; after Escape it leaves the field.
  await field.fill("let tab;");
  await field.press("Home");
  await field.press("Tab");
  const indented = await field.innerText();
  const isFocused = () =>
    field.evaluate((element) => {
      const { document } = globalThis as never as { document: { activeElement: unknown } };
      return element as unknown === document.activeElement;
    });
  // The two keys belong together for two seconds, which a busy machine may let pass.
  let hasLeft = false;
  for (let attempt = 0; attempt < 10 && !hasLeft; attempt++) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    hasLeft = !await isFocused();
  }

  const code = "// ü 漢 🚿\nconsole.log('from a link');\n";
  await field.fill(code);
  await section.locator("[data-do=link]").click();
  await section.locator("[data-notice]:not(:empty)").waitFor();
  const hash = new URL(page.url()).hash;
  return {
    ...{
      native,
      scrubbed,
      pulled,
      buffers,
      drawn,
      counted,
      recipes,
      failing,
      silent,
      stopped,
      outcomes,
      indented,
      hasLeft,
    },
    ...{ hash, code },
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
  const scrubbed = await scrubThrough(section);
  const newestOfPast = await section.locator(".log li").first().innerText();
  await section.getByRole("button", { name: "One event on" }).click();
  const isBack = await section.locator(".scrubber output").getAttribute("data-shown");

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
    ...{ sentence, text, events, scrubbed, newestOfPast, isBack },
    ...{ afterStep: afterStep.events },
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
