/// <reference lib="dom" />
import { assert, assertEquals } from "@std/assert";
import { isThorough } from "../lib/thorough.ts";
import { testVisit, violationsOf } from "../package/_visit.ts";
import { builtSite } from "./_built.ts";

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

const overflowNow = () => document.documentElement.scrollWidth - innerWidth;

const [dark, light] = isThorough ? [kinds, kinds] : halves(kinds);

for (
  const [viewer, deeply] of [
    [{ width: 390, colorScheme: "dark" }, dark],
    [{ width: 1440, colorScheme: "light" }, light],
  ] as const
) {
  testVisit(
    `site in Chromium: no page is wider than ${viewer.width} pixels or its paper, and axe finds nothing`,
    builtSite,
    async (open) => {
      for (const path of paths) {
        const page = await open(path, viewer);
        assertEquals(await page.evaluate(overflowNow), 0, path);
        if (deeply.includes(path)) assertEquals(await violationsOf(page), [], path);
        // What is left of A4 between margins of two centimetres, in CSS pixels.
        await page.setViewportSize({ width: 642, height: 971 });
        await page.emulateMedia({ media: "print" });
        assertEquals(await page.evaluate(overflowNow), 0, `${path} on paper`);
        await page.context().close();
      }
    },
  );
}

testVisit(
  "site in Chromium: the search finds a name, an option and a phrase, by the keyboard alone",
  builtSite,
  async (open) => {
    const page = await open("reference/node/index.html");
    await page.keyboard.press("/");
    const dialog = page.getByRole("dialog", { name: "Search" });
    await dialog.waitFor();
    const input = dialog.getByRole("searchbox");
    assert(await input.evaluate((element) => element === document.activeElement));
    const titlesFor = async (question: string, title: string) => {
      await input.fill(question);
      await dialog.locator("li b", { hasText: title }).first().waitFor();
      return await dialog.locator("li b").allInnerTexts();
    };
    await titlesFor("maxWaitMs", "BatchOptions");
    await titlesFor("stopping run", "Stopping a run");
    await input.fill("zzyzx quokka");
    await dialog.getByText("0 places").waitFor();
    assertEquals((await titlesFor("batch", "batch"))[0], "batch");
    assertEquals(await violationsOf(page), []);
    await page.keyboard.press("Enter");
    await page.waitForURL(/reference\/streams\/batch\.html#batch$/);
  },
);
