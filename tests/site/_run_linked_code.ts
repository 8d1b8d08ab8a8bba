/// <reference lib="dom" />
import type { SiteVisit } from "./_visit_site.ts";

/** Which state a program of the site ended in. */
export interface LinkedRun {
  readonly path: string;
  readonly state: string | null;
  readonly text: string;
}

/** Runs each program that a page of the site offers to open in the playground. */
export async function runLinkedCode(
  visit: SiteVisit,
  files: ReadonlyMap<string, string>,
): Promise<LinkedRun[]> {
  const pages = new Map<string, string>();
  for (const [path, markup] of files) {
    if (!path.endsWith(".html") || path.startsWith("playground/")) continue;
    for (const [, hash] of markup.matchAll(/playground\/index\.html#(code=[\w-]+)"/g)) {
      pages.set(hash!, path);
    }
  }
  const page = await visit.newPage({ width: 1440, colorScheme: "light" });
  await page.goto(visit.addressOf("playground/index.html"));
  const section = page.locator("#code");
  const runs: LinkedRun[] = [];
  for (const [hash, path] of pages) {
    await page.evaluate((hash) => location.hash = hash, hash);
    await section.locator("[data-notice]").filter({ hasText: "came with the link" }).waitFor();
    await section.locator("[data-do=run]").click();
    const outcome = section.locator(
      "[data-state=done][role=status],[data-state=failed][role=status]",
    );
    await outcome.waitFor();
    const state = await outcome.getAttribute("data-state");
    runs.push({ path, state, text: await outcome.innerText() });
    await page.evaluate(() => location.hash = "");
  }
  return runs;
}
