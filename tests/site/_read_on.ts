/// <reference lib="dom" />
import type { SiteVisit } from "./_visit_site.ts";

/** Reads a page far down in the menu to its end, and copies its first code. */
export async function readOn(visit: SiteVisit) {
  const page = await visit.newPage({ width: 1440, colorScheme: "light" });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(visit.addressOf("throughput.html"));
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.waitForFunction(() => scrollY > 1000);
  const current = await page.locator(".menu [aria-current]").boundingBox();
  await page.goto(visit.addressOf("guide.html"));
  const code = page.locator(".code").first();
  await code.hover();
  await code.getByRole("button", { name: "Copy" }).click();
  await code.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const shown = await code.locator("pre").textContent();
  const clipped = await page.evaluate(() =>
    [...document.querySelectorAll("pre")].filter((one) => one.scrollWidth > one.clientWidth).length
  );
  await page.context().close();
  return { currentTop: current?.y, copied, shown, clipped };
}
