import type { Page } from "playwright-core";
import { saveRecording, settled, shownIn } from "./_state.ts";

/** Section 2: ignores backpressure, heeds it again, and lets the buffer drain. */
export async function visitIgnoring(page: Page) {
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
