import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { isMeasured } from "../../bench/results/result.ts";
import { buildReport } from "../../scripts/report/build_report.ts";
import { demoChart } from "../../scripts/report/charts/demo_chart.ts";
import { findChromium } from "../package/_find_chromium.ts";
import type { PageElement, PageGlobals } from "./_page_globals.ts";
import { type Viewer, type Visit, visitReport } from "./_visit_report.ts";
import { reportResults } from "./fixtures/report_results.ts";

const executable = findChromium();
const isRequired = process.env.HOSEPIPE_REQUIRE_CHROMIUM === "1";
const skip = executable === undefined && !isRequired;

/** How much of a section can be seen. */
interface SectionView {
  readonly id: string;
  readonly figures: number;
  /** Marks that belong to a contestant. */
  readonly marks: number;
  readonly tableRows: number;
}

interface ReportView {
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
  readonly printed: { readonly tables: number; readonly controls: number };
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

/** Runs in the page: what stands over the right edge although nothing scrolls it. */
function findOverflow(): { overflow: number; overflowing: string[]; smallestText: number } {
  const { document } = globalThis as unknown as PageGlobals;
  const width = document.documentElement.clientWidth;
  for (const details of document.querySelectorAll("details")) details.open = true;
  const overflowing = [...document.querySelectorAll("body *:not(.scroll *):not(svg *)")]
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

async function look(page: Page, viewer: Viewer): Promise<ReportView> {
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

  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const printed = {
    tables: await page.locator("#copy_lines table:visible").count(),
    controls: await page.locator("input:visible, select:visible, button:visible").count(),
  };
  return {
    ...{ viewer, overflow, overflowing, smallestText, background, sections, withoutWeb },
    ...{ onlyNode, none, afterReset, variants, printed },
  };
}

let visit: Promise<Visit<ReportView>> | undefined;

/** One visit answers all tests: the browser is closed before the first of them goes on. */
function visited(): Promise<Visit<ReportView>> {
  if (executable === undefined) throw new Error("Cannot find Chromium: set HOSEPIPE_CHROMIUM");
  return visit ??= (async () => {
    const text = await buildReport([{ name: "made-up.json", result: reportResults }], {
      notes: { about: () => "", order: () => [] },
      more: [await demoChart()],
    });
    return await visitReport(executable, text, [
      { width: 360, colorScheme: "light" },
      { width: 360, colorScheme: "dark" },
      { width: 1280, colorScheme: "light" },
    ], look);
  })();
}

function find(sections: readonly SectionView[], id: string): SectionView {
  const section = sections.find((one) => one.id === id);
  if (section === undefined) throw new Error(`no section ${id}`);
  return section;
}

test("in Chromium: no error, no warning, no dialog, no request", { skip }, async () => {
  assertEquals((await visited()).complaints, []);
});

test("in Chromium: nothing overflows, and pictures can be read", { skip }, async () => {
  for (const { viewer, overflow, overflowing, smallestText } of (await visited()).seen) {
    assertEquals([overflow, overflowing], [0, []], `${viewer.width}`);
    assert(
      smallestText >= 9 && smallestText < 20,
      `text of ${smallestText} pixels at ${viewer.width}`,
    );
  }
});

test("in Chromium: the page is light by day and dark by night", { skip }, async () => {
  const [light, dark, wide] = (await visited()).seen.map(({ background }) => background);
  assertNotEquals(light, dark);
  assertEquals([light, wide], ["rgb(255, 255, 255)", "rgb(255, 255, 255)"]);
});

test("in Chromium: every chart shows its data", { skip }, async () => {
  const rows = reportResults.rows.filter((row) =>
    row.workload === "copy_lines" && row.contestant !== "noop" && isMeasured(row)
  );
  const lines = 6 * 3;
  for (const { sections } of (await visited()).seen) {
    const copyLines = find(sections, "copy_lines");
    assertEquals(copyLines, {
      ...{ id: "copy_lines", figures: 3, marks: rows.length * 2 + lines, tableRows: lines },
    });
    assertEquals(find(sections, "memory_to_null").figures, 6, "one variant of two");
    for (const { id, figures, marks, tableRows } of sections) {
      if (id === "peers") assertEquals(tableRows > 0, true);
      else assert(figures > 0 && marks > 0 && tableRows > 0, id);
    }
  }
});

test("in Chromium: a contestant can be hidden and shown, from any legend", { skip }, async () => {
  for (const { sections, withoutWeb } of (await visited()).seen) {
    const [before, after] = [find(sections, "copy_lines"), find(withoutWeb, "copy_lines")];
    const webMarks = 3 + 2 * 11;
    assertEquals(before.marks - after.marks, webMarks, "3 lines, 11 points, 11 bars");
    assertEquals(before.tableRows - after.tableRows, 3);
    assert(find(withoutWeb, "passthrough").marks < find(sections, "passthrough").marks);
    assertEquals(find(withoutWeb, "demos").figures, 1, "the panel that is all about it");
  }
});

test(
  "in Chromium: runtimes can be hidden, all of them too, and shown again",
  { skip },
  async () => {
    for (const { sections, onlyNode, none, afterReset } of (await visited()).seen) {
      assertEquals(find(onlyNode, "copy_lines").figures, 1);
      assertEquals(find(onlyNode, "odd_job").figures, 1);
      assertEquals(none, { figures: 0, saysSo: true });
      assertEquals(afterReset, sections);
    }
  },
);

test("in Chromium: of a chart's variants the chosen one is shown", { skip }, async () => {
  for (const { variants } of (await visited()).seen) {
    assertEquals(variants, [["0", ["0"]], ["1", ["1"]]]);
  }
});

test("in Chromium: printed, the tables are open and the controls gone", { skip }, async () => {
  for (const { printed } of (await visited()).seen) {
    assertEquals(printed, { tables: 3, controls: 0 });
  }
});
