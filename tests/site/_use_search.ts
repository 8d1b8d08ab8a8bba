/// <reference lib="dom" />
import { violationsOf } from "./_violations_of.ts";
import type { SiteVisit } from "./_visit_site.ts";

/** Searches from a page of the reference, by the keyboard alone. */
export async function useSearch(visit: SiteVisit) {
  const page = await visit.newPage({ width: 1440, colorScheme: "light" });
  await page.goto(visit.addressOf("reference/node/index.html"));
  await page.keyboard.press("/");
  const dialog = page.getByRole("dialog", { name: "Search" });
  await dialog.waitFor();
  const opened = await dialog.isVisible();
  const input = dialog.getByRole("searchbox");
  const focused = await input.evaluate((element) => element === document.activeElement);
  const status = dialog.locator("p");
  const titlesFor = async (question: string) => {
    const before = await status.textContent();
    await input.fill(question);
    await page.waitForFunction(
      (before) => document.querySelector("dialog p")?.textContent !== before,
      before,
    );
    const titles = await dialog.locator("li b").allInnerTexts();
    await input.fill("");
    await page.waitForFunction(() => document.querySelector("dialog p")?.textContent === "");
    return titles;
  };
  const option = await titlesFor("maxWaitMs");
  const phrase = await titlesFor("stopping run");
  await input.fill("zzyzx quokka");
  await dialog.getByText("0 places").waitFor();
  const nothing = await status.textContent();
  await input.fill("");
  const name = await titlesFor("batch");
  await input.fill("batch");
  await dialog.locator("li b", { hasText: /^batch$/ }).first().waitFor();
  const violations = await violationsOf(page);
  await page.keyboard.press("Enter");
  await page.waitForURL(/batch\.html/);
  const landed = page.url();
  await page.context().close();
  return { violations, opened, focused, name, option, phrase, nothing, landed };
}
