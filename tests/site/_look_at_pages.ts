/// <reference lib="dom" />
import { violationsOf } from "./_violations_of.ts";
import type { SiteVisit, Viewer } from "./_visit_site.ts";

/** What a look at a page found. */
export interface PageLook {
  readonly path: string;
  readonly viewer: Viewer;
  /** By how many pixels it is wider than the window. */
  readonly overflow: number;
  /** The same on paper. */
  readonly printedOverflow: number;
  /** How many parts for the mouse are printed: navigation, buttons, links to the playground. */
  readonly printedControls: number;
  readonly background: string;
  readonly violations: readonly string[];
}

/** What is left of A4 between margins of two centimetres, in CSS pixels. */
const paper = { width: 642, height: 971 };

const overflowNow = () => document.documentElement.scrollWidth - innerWidth;

/** Looks at pages one after the other; those of `deeply` through axe, which takes long for long pages. */
export async function lookAtPages(
  visit: SiteVisit,
  paths: readonly string[],
  viewer: Viewer,
  deeply: readonly string[],
): Promise<PageLook[]> {
  const page = await visit.newPage(viewer);
  const looks: PageLook[] = [];
  for (const path of paths) {
    await page.goto(visit.addressOf(path));
    const overflow = await page.evaluate(overflowNow);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const violations = deeply.includes(path) ? await violationsOf(page) : [];
    await page.setViewportSize(paper);
    await page.emulateMedia({ media: "print" });
    const printedOverflow = await page.evaluate(overflowNow);
    const printedControls = await page.evaluate(() =>
      [...document.querySelectorAll("nav, button, .run, .contents")]
        .filter((element) => element.getClientRects().length > 0).length
    );
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: viewer.width, height: 900 });
    looks.push({
      ...{ path, viewer, overflow, printedOverflow, printedControls, background },
      violations: violations.map((violation) => `${path}: ${violation}`),
    });
  }
  // What it shows would go on moving.
  await page.context().close();
  return looks;
}
