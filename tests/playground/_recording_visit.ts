import { Buffer } from "node:buffer";
import type { Locator, Page } from "playwright-core";
import { saveRecording, scrubThrough, settled } from "./_state.ts";

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
export async function visitRecording(page: Page, made: string) {
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
