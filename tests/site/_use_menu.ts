import type { SiteVisit } from "./_visit_site.ts";

/** Opens the menu of a narrow page, and follows a link in it; answers where that led. */
export async function useMenu(visit: SiteVisit) {
  const page = await visit.newPage({ width: 390, colorScheme: "light" });
  await page.goto(visit.addressOf("reference/streams/map.html"));
  const menu = page.locator("#menu");
  const before = await menu.isVisible();
  await page.getByRole("button", { name: "Menu" }).click();
  await menu.waitFor();
  await menu.getByRole("link", { name: "Recipes", exact: true }).click();
  await page.waitForURL(/recipes\.html$/);
  const contents = page.locator(".contents");
  await contents.getByText("On this page").click();
  await contents.getByRole("link", { name: "CSV in and out" }).click();
  await page.waitForURL(/#csv-in-and-out$/);
  const landed = page.url();
  await page.context().close();
  return { before, landed };
}
