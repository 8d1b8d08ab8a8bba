import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { BrowserReport, Page } from "./_browser.ts";
import type { TestsReport } from "./_browser_test.ts";
import { pageCases, texts } from "./_page_cases.ts";

/** A browser that the tests of the package run in. */
export interface Browser {
  readonly name: string;
  /** What esbuild makes syntax for. */
  readonly target: string;
  /** None if it was not found. */
  readonly run: ((page: Page) => Promise<BrowserReport>) | undefined;
  /** How it can be had where it was not found. */
  readonly advice: string;
  readonly isRequired: boolean;
  /** The page that runs all laws in it, too; its timers must be quick. */
  readonly laws?: string;
}

/** Tests the package, bundled, in a browser; without one it is named as left out, or fails where it is required. */
export function testInBrowser(browser: Browser): void {
  const { name, target, run, advice, isRequired, laws } = browser;
  if (run === undefined) {
    const title = `${name} (not found here: ${advice})`;
    const fail = () => {
      throw new Error(`Cannot find ${name}: ${advice}`);
    };
    test(title, { skip: !isRequired }, fail);
    return;
  }

  const visit = (file: string, isOld = false) => {
    let report: Promise<BrowserReport> | undefined;
    // One visit answers all tests: the browser is closed before the first of them goes on.
    return () => report ??= run({ entry: new URL(file, import.meta.url), target, texts, isOld });
  };
  for (const [where, isOld] of [[name, false], [`${name} without what is newer`, true]] as const) {
    const page = visit("./_page.ts", isOld);
    for (const [answer, [title, expected]] of Object.entries(pageCases)) {
      test(`bundled, in ${where}: ${title}`, async () => {
        assertEquals((await page()).answers[answer], expected);
      });
    }
    test(`in ${where} nothing is complained of, and each function of the page has answered`, async () => {
      const { answers, complaints } = await page();
      assertEquals(complaints, []);
      assertEquals(Object.keys(answers).sort(), Object.keys(pageCases).sort());
    });
  }

  if (laws === undefined) return;
  const lawsPage = visit(laws);
  test(`in ${name} every stage, source and end keeps the laws`, async () => {
    const { answers, complaints } = await lawsPage();
    const reports = Object.values(answers) as (TestsReport & { readonly threw?: string })[];
    assertEquals(reports.flatMap(({ failed, threw }) => threw ?? failed), []);
    assertEquals(complaints, []);
    const [passed, leftOut] = [sum(reports, "passed"), sum(reports, "leftOut")];
    assert(passed > 10 * leftOut, `${passed} kept, ${leftOut} left out`);
  });
}

function sum(reports: readonly TestsReport[], count: "passed" | "leftOut"): number {
  return reports.reduce((total, report) => total + report[count], 0);
}
