/// <reference lib="dom" />
import process from "node:process";
import { test } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { inFolder } from "../lib/in_folder.ts";
import { findWebKit, type WebKitWindow, withWebKit } from "../package/_with_webkit.ts";
import { builtSite, writeSite } from "./_built.ts";

const programs = findWebKit();
const isRequired = process.env.HOSEPIPE_REQUIRE_WEBKIT === "1";
const skip = programs === undefined && !isRequired;

const paths = [
  ...["index.html", "guide.html", "research/semantics.html", "playground/index.html"],
  ...["reference/streams/map.html", "reference/testing/check-stage.html"],
];

/** Looks at pages in a window of one width. */
async function lookAt({ open, run, resize }: WebKitWindow, root: string, width: number) {
  await resize(width, 900);
  const looks = [];
  for (const path of paths) {
    await open(root + path);
    const found = await run(() => ({
      overflow: document.documentElement.scrollWidth - innerWidth,
      title: document.title,
      // A colour that is not known would be none.
      isPainted: getComputedStyle(document.body).backgroundColor !== "rgba(0, 0, 0, 0)",
    }));
    looks.push({ path, width, ...found });
  }
  return looks;
}

/** Finds a name by the search. */
async function search({ open, run }: WebKitWindow, root: string): Promise<string | null> {
  await open(`${root}reference/index.html`);
  return await run(async () => {
    const until = async <T>(look: () => T | null | undefined): Promise<T> => {
      for (;;) {
        const found = look();
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    document.querySelector<HTMLButtonElement>(".search-button")!.click();
    const input = await until(() => document.querySelector<HTMLInputElement>("dialog[open] input"));
    input.value = "limitRate";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    return (await until(() => document.querySelector("dialog li b"))).textContent;
  });
}

const start = () => {
  if (programs === undefined) {
    throw new Error("Cannot find WebKit: install webkit2gtk-driver, gir1.2-webkit2-4.1 and xvfb");
  }
  return inFolder(async (folder) => {
    const root = await writeSite(await builtSite(), folder);
    return await withWebKit(programs, async (window) => ({
      looks: [...await lookAt(window, root, 390), ...await lookAt(window, root, 1440)],
      found: await search(window, root),
    }));
  });
};
let visits: ReturnType<typeof start> | undefined;
/** One visit answers all tests: the browser is closed before the first of them goes on. */
const visited = () => visits ??= start();

test("site in WebKit: pages are drawn, and none is wider than its window", { skip }, async () => {
  const { looks } = await visited();
  assertEquals(looks.length, 2 * paths.length);
  assertEquals(looks.filter(({ overflow, isPainted }) => overflow > 0 || !isPainted), []);
  for (const { title } of looks) assertMatch(title, /hosepipe|stream/i);
});

test("site in WebKit: the search finds a name, from a disk", { skip }, async () => {
  assertEquals((await visited()).found, "limitRate");
});
