import type { Page } from "playwright-core";
import { settled } from "./_state.ts";

/** Section 4: predicts the same of both in each question, runs them, and reads what decides; then predicts rightly. */
export async function visitCompare(page: Page) {
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
