/// <reference lib="dom" />
import { createRequire } from "node:module";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { AxeResults } from "axe-core";
import { chromium, type Page } from "playwright-core";
import { inFolder } from "../lib/in_folder.ts";
import { isThorough } from "../lib/thorough.ts";
import { findChromium } from "../package/_find_chromium.ts";
import { builtSite, writeSite } from "./_built.ts";

/** How a page is looked at. */
interface Viewer {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
  readonly reducedMotion?: "reduce";
}

/** A browser with the site before it. */
interface SiteVisit {
  /** Opens a page in a context of its own, which its user closes. */
  newPage(viewer: Viewer): Promise<Page>;
  /** The address of one of the site's files. */
  addressOf(path: string): string;
  /** What pages and the browser complained of, and what they asked for outside of the site. */
  readonly complaints: readonly string[];
}

/** Writes the site to a folder, and opens a browser on it that is offline. */
async function visitSite<Found>(
  executablePath: string,
  files: ReadonlyMap<string, string>,
  use: (visit: SiteVisit) => Promise<Found>,
): Promise<Found> {
  return await inFolder(async (folder) => {
    const root = await writeSite(files, folder);
    const complaints: string[] = [];
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    try {
      return await use({
        complaints,
        addressOf: (path) => root + path,
        async newPage({ width, colorScheme, reducedMotion }) {
          const context = await browser.newContext({
            ...{ viewport: { width, height: 900 }, colorScheme, reducedMotion, offline: true },
          });
          const page = await context.newPage();
          // Many programs may share the machine: what is waited for may take long.
          page.setDefaultTimeout(60_000);
          page.on("pageerror", (error) => complaints.push(`uncaught: ${error}`));
          page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
          page.on("request", (request) => {
            const url = request.url();
            if (!url.startsWith(root) && !/^(?:data|blob):/.test(url)) {
              complaints.push(`asked ${url}`);
            }
          });
          return page;
        },
      });
    } finally {
      await browser.close();
    }
  });
}

const { source } = createRequire(import.meta.url)("axe-core") as { readonly source: string };

/** What axe finds wrong, by rule and element. */
async function violationsOf(page: Page): Promise<string[]> {
  // The policy of the page lets no script in, but the browser itself may put one there.
  await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    // The policy lets it fetch no styles; the playground, in a frame, has a test of its own. What is right is long, and
    // of no use here.
    const options = { preload: false, iframes: false, resultTypes: ["violations"] };
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    return (await axe.run(options)).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`)
  );
}

/** Searches from a page of the reference, by the keyboard alone. */
async function useSearch(visit: SiteVisit) {
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

/** What a look at a page found. */
interface PageLook {
  readonly path: string;
  readonly viewer: Viewer;
  /** By how many pixels it is wider than the window. */
  readonly overflow: number;
  /** The same on paper. */
  readonly printedOverflow: number;
  readonly violations: readonly string[];
}

/** What is left of A4 between margins of two centimetres, in CSS pixels. */
const paper = { width: 642, height: 971 };

const overflowNow = () => document.documentElement.scrollWidth - innerWidth;

/** Looks at pages one after the other; those of `deeply` through axe, which takes long for long pages. */
async function lookAtPages(
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
    const violations = deeply.includes(path) ? await violationsOf(page) : [];
    await page.setViewportSize(paper);
    await page.emulateMedia({ media: "print" });
    const printedOverflow = await page.evaluate(overflowNow);
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: viewer.width, height: 900 });
    looks.push({
      ...{ path, viewer, overflow, printedOverflow },
      violations: violations.map((violation) => `${path}: ${violation}`),
    });
  }
  // What it shows would go on moving.
  await page.context().close();
  return looks;
}

const executable = findChromium();
const isRequired = process.env.HOSEPIPE_REQUIRE_CHROMIUM === "1";
const skip = executable === undefined && !isRequired;

/** Pages of each kind, and the longest of them. */
const paths = [
  ...["index.html", "guide.html", "recipes.html", "library.html", "benchmarks.html"],
  ...["research/semantics.html", "changelog.html", "documentation.html", "playground.html"],
  ...["reference/index.html", "reference/streams/index.html", "reference/streams/pipeline.html"],
  ...["reference/streams/scan.html", "reference/queue/consumer.html"],
];

/** One of each kind, for what takes longer. */
const kinds = [
  ...["index.html", "guide.html", "research/semantics.html", "playground.html"],
  ...["reference/streams/index.html", "reference/streams/scan.html"],
];

/** In the gate each kind is looked at once, half of them dark and half light. */
function halves(all: readonly string[]): [dark: string[], light: string[]] {
  return [all.filter((_, index) => index % 2 === 0), all.filter((_, index) => index % 2 === 1)];
}

const start = async () => {
  if (executable === undefined) throw new Error("Cannot find Chromium: set HOSEPIPE_CHROMIUM");
  const files = await builtSite();
  return await visitSite(executable, files, async (visit) => {
    const [some, others] = isThorough ? [kinds, kinds] : halves(kinds);
    const narrow = await lookAtPages(visit, paths, { width: 390, colorScheme: "dark" }, some);
    const wide = await lookAtPages(visit, paths, { width: 1440, colorScheme: "light" }, others);
    return {
      looks: [...narrow, ...wide],
      search: await useSearch(visit),
      complaints: visit.complaints,
    };
  });
};
let visits: ReturnType<typeof start> | undefined;
/** One visit answers all tests: the browser is closed before the first of them goes on. */
const visited = () => visits ??= start();

function inChromium(name: string, check: () => Promise<void>): void {
  test(`site in Chromium: ${name}`, { skip }, check);
}

inChromium("no error, no warning, and nothing is asked for from another place", async () => {
  assertEquals((await visited()).complaints, []);
});

inChromium("no page is wider than its window, at 390 and 1440 pixels, nor on paper", async () => {
  const { looks } = await visited();
  assertEquals(looks.length, 2 * paths.length);
  const wider = looks.filter(({ overflow, printedOverflow }) =>
    overflow > 0 || printedOverflow > 0
  );
  assertEquals(wider, []);
});

inChromium("axe finds nothing wrong, in light and in dark", async () => {
  const { looks, search } = await visited();
  assertEquals([...looks, search].flatMap(({ violations }) => violations), []);
});

inChromium("the search finds a name, an option and a phrase, without a network", async () => {
  const { opened, name, option, phrase, nothing, landed, focused } = (await visited()).search;
  assertEquals([opened, focused], [true, true]);
  assertEquals(name[0], "batch");
  assert(option.includes("BatchOptions"), `${option}`);
  assert(phrase.includes("Stopping a run"), `${phrase}`);
  assertEquals(nothing, "0 places");
  assert(landed.endsWith("reference/streams/batch.html#batch"), landed);
});
