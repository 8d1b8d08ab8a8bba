import type { Page } from "playwright-core";
import { saveRecording, settled } from "./_state.ts";

const names = ["reader out", "transformer in", "transformer out", "writer in"];

/** Marks to try, in the order of the buffers. */
export const triedMarks: readonly (readonly number[])[] = [
  [2, 1, 0, 3],
  [0, 1, 0, 1],
  [3, 2, 5, 0],
];

/** Section 3: sets marks by the keyboard, guesses, and looks. */
export async function visitMarks(page: Page) {
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
