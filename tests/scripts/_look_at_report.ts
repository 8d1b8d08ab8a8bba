import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import type { PageElement, PageGlobals } from "./_page_globals.ts";
import type { Viewer } from "./_visit_report.ts";

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { html: string }[];
  }[];
}

const axe = new URL("../../node_modules/axe-core/axe.min.js", import.meta.url);

/** How much of a section can be seen. */
export interface SectionView {
  readonly id: string;
  readonly figures: number;
  /** Marks that belong to a contestant. */
  readonly marks: number;
  readonly tableRows: number;
}

/** What one viewer saw. */
export interface ReportView {
  readonly viewer: Viewer;
  /** How far the page, and what it holds, stand over its width, in pixels. */
  readonly overflow: number;
  readonly overflowing: readonly string[];
  readonly smallestText: number;
  readonly background: string;
  readonly sections: readonly SectionView[];
  readonly withoutWeb: readonly SectionView[];
  readonly onlyNode: readonly SectionView[];
  readonly none: { readonly figures: number; readonly saysSo: boolean };
  readonly afterReset: readonly SectionView[];
  readonly variants: readonly (readonly [chosen: string, shown: readonly string[]])[];
  readonly printed: {
    readonly tables: number;
    readonly controls: number;
    readonly legends: number;
    readonly cut: readonly string[];
  };
  /** Tables that hide a column. */
  readonly cut: readonly string[];
  /** What axe finds wrong, tables open, by rule and element; of a viewer it looks for, since that takes long. */
  readonly violations: readonly string[];
}

/** Runs in the page: counts what has a size there. */
function countVisible(): SectionView[] {
  const { document } = globalThis as unknown as PageGlobals;
  const isSeen = (element: PageElement) => element.getClientRects().length > 0;
  return [...document.querySelectorAll("section[id]")].map((section) => {
    const count = (selector: string) =>
      [...section.querySelectorAll(selector)].filter(isSeen).length;
    for (const details of section.querySelectorAll("details")) details.open = true;
    const view = {
      id: section.id,
      figures: count("figure"),
      marks: count("figure svg [data-api]"),
      tableRows: count("tbody tr"),
    };
    for (const details of section.querySelectorAll("details")) details.open = false;
    return view;
  });
}

/** Runs in the page: tables that stand over the edge of what they are in, so that columns are hidden. */
function findCutTables(): string[] {
  const { document } = globalThis as unknown as PageGlobals;
  return [...document.querySelectorAll("figure, section, details")].flatMap((box) => {
    const { right } = box.getBoundingClientRect();
    return [...box.querySelectorAll("table")]
      .filter((table) => table.getBoundingClientRect().right > right + 0.5)
      .map((table) => `${table.textContent?.slice(0, 60)}`);
  });
}

/** Runs in the page: what stands over the right edge although nothing scrolls it. */
function findOverflow(): { overflow: number; overflowing: string[]; smallestText: number } {
  const { document } = globalThis as unknown as PageGlobals;
  const width = document.documentElement.clientWidth;
  for (const details of document.querySelectorAll("details")) details.open = true;
  const overflowing = [...document.querySelectorAll("body *:not(svg *)")]
    .filter((element) => element.getBoundingClientRect().right > width + 0.5)
    .map((element) => `${element.tagName} ${element.textContent?.slice(0, 40)}`);
  const overflow = document.documentElement.scrollWidth - width;
  const sizes = [...document.querySelectorAll("figure svg")].flatMap((svg) => {
    const scale = svg.getBoundingClientRect().width / Number(svg.getAttribute("width"));
    return [...svg.querySelectorAll("text")]
      .map((text) => scale * parseFloat(text.getAttribute("font-size")!))
      .filter((size) => size > 0);
  });
  for (const details of document.querySelectorAll("details")) details.open = false;
  return { overflow, overflowing, smallestText: Math.min(...sizes) };
}

async function runAxe(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: await readFile(axe, "utf8") });
  await page.evaluate(() => {
    const { document } = globalThis as unknown as PageGlobals;
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    // What is right is long, and of no use here.
    return (await axe.run({ resultTypes: ["violations"] })).violations;
  });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function chooseVariants(page: Page) {
  const shown: [string, string[]][] = [];
  for (const value of ["0", "1"]) {
    await page.selectOption('select[data-choose="memory_to_null"]', value);
    shown.push([
      value,
      await page.$$eval(
        "#memory_to_null [data-variant]",
        (elements) =>
          (elements as unknown as PageElement[])
            .filter((element) => element.getClientRects().length > 0)
            .map(({ dataset }) => dataset.variant!),
      ),
    ]);
  }
  await page.selectOption('select[data-choose="memory_to_null"]', "0");
  return shown;
}

/** Uses the report as its readers do, and answers what there was to see. */
export async function lookAtReport(page: Page, viewer: Viewer): Promise<ReportView> {
  const runtime = (name: string) => page.locator(`input[data-filter=runtime][value=${name}]`);
  const sections = await page.evaluate(countVisible);
  const { overflow, overflowing, smallestText } = await page.evaluate(findOverflow);
  const background = await page.evaluate(() => {
    const { document, getComputedStyle } = globalThis as unknown as PageGlobals;
    return getComputedStyle(document.body).backgroundColor;
  });

  await page.locator("#copy_lines input[data-filter=api][value=web]").uncheck();
  const withoutWeb = await page.evaluate(countVisible);
  await page.locator("#passthrough input[data-filter=api][value=web]").check();

  await runtime("deno").uncheck();
  await runtime("bun").uncheck();
  const onlyNode = await page.evaluate(countVisible);
  await runtime("node").uncheck();
  const none = {
    figures: await page.locator("#copy_lines figure:visible").count(),
    saysSo: await page.locator("[data-empty]").isVisible(),
  };
  await page.getByRole("button", { name: "Show all" }).click();
  const afterReset = await page.evaluate(countVisible);
  const variants = await chooseVariants(page);
  const violations = viewer.usesAxe ? await runAxe(page) : [];
  const cut = await page.evaluate(findCutTables);

  // Paper of the size A4 is so wide.
  await page.setViewportSize({ width: 718, height: 1_000 });
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const printed = {
    tables: await page.locator("#copy_lines table:visible").count(),
    controls: await page.locator("input:visible, select:visible, button:visible").count(),
    legends: await page.locator("#copy_lines .legend label:visible").count(),
    cut: await page.evaluate(findCutTables),
  };
  return {
    ...{ viewer, overflow, overflowing, smallestText, background, sections, withoutWeb },
    ...{ onlyNode, none, afterReset, variants, printed, violations, cut },
  };
}
