import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { isThorough } from "../lib/thorough.ts";
import { findChromium } from "../package/_find_chromium.ts";
import { builtSite } from "./_built.ts";
import { lookAtPages } from "./_look_at_pages.ts";
import { readOn } from "./_read_on.ts";
import { runLinkedCode } from "./_run_linked_code.ts";
import { useMenu } from "./_use_menu.ts";
import { useSearch } from "./_use_search.ts";
import { visitSite } from "./_visit_site.ts";

const executable = findChromium();
const isRequired = process.env.HOSEPIPE_REQUIRE_CHROMIUM === "1";
const skip = executable === undefined && !isRequired;

/** Pages of each kind, and the longest of them. */
const paths = [
  ...["index.html", "guide.html", "recipes.html", "library.html", "benchmarks.html"],
  ...["semantics.html", "changelog.html", "documentation.html", "playground.html"],
  ...["reference/index.html", "reference/streams/index.html", "reference/streams/pipeline.html"],
  ...["reference/streams/scan.html", "reference/queue/consumer.html"],
];

/** One of each kind, for what takes longer. */
const kinds = [
  ...["index.html", "guide.html", "semantics.html", "playground.html"],
  ...["reference/streams/index.html", "reference/streams/scan.html"],
];

/** In the gate each kind is looked at once, half of them dark and half light. */
function halves(all: readonly string[]): [dark: string[], light: string[]] {
  return [all.filter((_, index) => index % 2 === 0), all.filter((_, index) => index % 2 === 1)];
}

/** In the gate each fourth program runs here: all of them run in Deno, as the pages' examples. */
const each = isThorough ? 1 : 4;

const start = async () => {
  if (executable === undefined) throw new Error("Cannot find Chromium: set HOSEPIPE_CHROMIUM");
  const files = await builtSite();
  return await visitSite(executable, files, async (visit) => {
    const [some, others] = isThorough ? [kinds, kinds] : halves(kinds);
    const narrow = await lookAtPages(visit, paths, { width: 390, colorScheme: "dark" }, some);
    const wide = await lookAtPages(visit, paths, { width: 1440, colorScheme: "light" }, others);
    const home = await visit.newPage({ width: 1440, colorScheme: "light" });
    const asked = new Set<string>();
    home.on("request", (request) => asked.add(request.url()));
    await home.goto(visit.addressOf("index.html"), { waitUntil: "load" });
    await home.context().close();
    const sizes = await Promise.all(
      [...asked].filter((url) => url.startsWith("file:")).map((url) => visit.sizeOf(url)),
    );
    return {
      looks: [...narrow, ...wide],
      homeBytes: sizes.reduce((sum, size) => sum + size, 0),
      search: await useSearch(visit),
      menu: await useMenu(visit),
      reading: await readOn(visit),
      linked: await runLinkedCode(visit, files, each),
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

inChromium("a page is light by day and dark by night", async () => {
  const { looks } = await visited();
  const seen = new Set(
    looks.map(({ viewer, background }) => `${viewer.colorScheme}: ${background}`),
  );
  assertEquals(seen, new Set(["dark: rgb(16, 20, 24)", "light: rgb(251, 251, 249)"]));
});

inChromium("on paper there are no controls", async () => {
  const { looks } = await visited();
  const shown = looks.filter(({ printedControls }) => printedControls > 0);
  assertEquals(shown.map(({ path }) => path), []);
});

inChromium("the home page and all it loads have at most 100 KB", async () => {
  const { homeBytes } = await visited();
  assert(homeBytes > 10_000 && homeBytes <= 100_000, `${homeBytes} bytes`);
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

inChromium("on a narrow page the menu and the table of contents open", async () => {
  const { before, landed } = (await visited()).menu;
  assertEquals([before, landed.endsWith("recipes.html#csv-in-and-out")], [false, true]);
});

inChromium(
  "the menu stays and shows the page, code fits at 1440 pixels and can be copied",
  async () => {
    const { currentTop, copied, shown, clipped } = (await visited()).reading;
    assert(currentTop !== undefined && currentTop > 56 && currentTop < 850, `${currentTop}`);
    assertEquals([copied, clipped], [shown, 0]);
  },
);

inChromium("all code that opens in the playground runs there to its end", async () => {
  const { linked } = await visited();
  assert(linked.offered > 60, `${linked.offered} programs`);
  assertEquals(linked.runs.length, Math.ceil(linked.offered / each));
  assertEquals(linked.runs.filter(({ state }) => state !== "done"), []);
});
