/// <reference lib="dom" />
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { assertEquals } from "@std/assert";
import type { AxeResults } from "axe-core";
import { chromium, type Page } from "playwright-core";
import { inFolder } from "../lib/in_folder.ts";
import { findChromium } from "./_find_chromium.ts";

/** How a page is looked at. */
export interface Viewer {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  readonly reducedMotion?: "reduce";
}

const executablePath = findChromium();
const skip = executablePath === undefined && process.env.HOSEPIPE_REQUIRE_CHROMIUM !== "1";

/** A test that opens pages of a site in Chromium, offline: none may complain, or ask for anything elsewhere. */
export function testVisit(
  name: string,
  site: () => Promise<ReadonlyMap<string, string>>,
  use: (open: (path: string, viewer?: Viewer) => Promise<Page>) => Promise<void>,
): void {
  test(name, { skip }, () =>
    inFolder(async (folder) => {
      for (const [path, text] of await site()) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      const root = pathToFileURL(`${folder}/`).href;
      const complaints: string[] = [];
      const browser = await chromium.launch({
        executablePath,
        args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
      });
      try {
        await use(async (path, { width = 1440, colorScheme = "light", reducedMotion } = {}) => {
          const context = await browser.newContext({
            ...{ viewport: { width, height: 900 }, colorScheme, reducedMotion },
            ...{ acceptDownloads: true, offline: true },
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
          await page.goto(root + path);
          return page;
        });
        assertEquals(complaints, []);
      } finally {
        await browser.close();
      }
    }));
}

const { source } = createRequire(import.meta.url)("axe-core") as { readonly source: string };

/** What axe finds wrong, by rule and element. */
export async function violationsOf(page: Page): Promise<string[]> {
  // The policy of the page lets no script in, but the browser itself may put one there.
  await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    // The policy lets it fetch no styles; a page in a frame has a test of its own. What is right is of no use here.
    const options = { preload: false, iframes: false, resultTypes: ["violations"] };
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    return (await axe.run(options)).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`)
  );
}
