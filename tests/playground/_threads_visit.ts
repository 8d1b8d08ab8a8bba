import type { Page } from "playwright-core";

/** Section 8: measures threads, and stops a second measurement. */
export async function visitThreads(page: Page) {
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
