import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import type { Occupancy, ProbeEvent } from "@hosepipe/streams";

/** What a picture shows of one buffer. */
export interface ShownBuffer {
  readonly count: number;
  readonly desiredSize: number;
  readonly isShut: boolean;
  /** Slots that are filled. */
  readonly filled: number;
  /** Slots that are filled beyond the mark. */
  readonly over: number;
}

/** What a picture of a pipeline shows. */
export interface Shown {
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
export function readHose(section: unknown): Shown {
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
export async function settled(section: Locator): Promise<void> {
  await section.locator(".playback[data-settled=true]").waitFor();
}

/** What a picture shows now. */
export function shownIn(section: Locator): Promise<Shown> {
  return section.evaluate(readHose);
}

/** Saves the recording by its button; answers its events. */
export async function saveRecording(page: Page, section: Locator): Promise<{
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
export async function scrubThrough(section: Locator): Promise<Shown[]> {
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
export function expectedAt(occupancy: Occupancy, marks: Readonly<Record<string, number>>) {
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
