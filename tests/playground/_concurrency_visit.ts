import type { Page } from "playwright-core";
import { settled } from "./_state.ts";

/** Section 4: runs each preset to its end, and goes back to a moment of it. */
export async function visitConcurrency(page: Page) {
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
