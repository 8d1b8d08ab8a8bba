import type { Page } from "playwright-core";
import { saveRecording, scrubThrough, settled } from "./_state.ts";

/** Section 1: slows the writer, pauses, goes back through all that was, and speeds it up again. */
export async function visitBackpressure(page: Page) {
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
