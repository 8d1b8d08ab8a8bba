import type { Page } from "playwright-core";

/** Section 7: measures, and stops a second measurement. */
export async function visitHundred(page: Page) {
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
