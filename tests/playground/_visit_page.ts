import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";

/** How the page is looked at. */
export interface Viewer {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  readonly reducedMotion?: "reduce";
  /** What follows the address of the page. */
  readonly hash?: string;
}

/** What a visit found, or why it failed; and what the browser complained of, or asked the network for. */
export interface Visited<Found> {
  readonly found: Found;
  readonly complaints: readonly string[];
}

/** One part of the tests: opens the page once, uses it, and answers what it found. */
export interface Visit<Found> {
  readonly viewer?: Viewer;
  readonly use: (page: Page) => Promise<Found>;
}

async function visitOnce<Found>(
  browser: Browser,
  address: string,
  { viewer = {}, use }: Visit<Found>,
): Promise<Visited<Found>> {
  const { width = 1440, colorScheme = "light", reducedMotion, hash = "" } = viewer;
  const context = await browser.newContext({
    ...{ viewport: { width, height: 900 }, colorScheme, reducedMotion },
    ...{ acceptDownloads: true, offline: true },
  });
  try {
    const page = await context.newPage();
    // Many programs may share the machine: what is waited for may take long, and is waited for by what it is.
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(`uncaught: ${error}`));
    page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(address) && !/^(?:data|blob):/.test(url)) complaints.push(`asked ${url}`);
    });
    await page.goto(address + hash);
    return { found: await use(page), complaints };
  } finally {
    await context.close();
  }
}

/** Opens a page in Chromium from a file, offline, once for each visit; each answers for itself. */
export async function visitPage<Visits extends Record<string, Visit<unknown>>>(
  executablePath: string,
  html: string,
  visits: Visits,
): Promise<{ [Name in keyof Visits]: () => Visited<Awaited<ReturnType<Visits[Name]["use"]>>> }> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-playground-"));
  const file = join(folder, "index.html");
  try {
    await writeFile(file, html);
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    try {
      const answers: Record<string, () => Visited<unknown>> = {};
      for (const [name, visit] of Object.entries(visits)) {
        answers[name] = await visitOnce(browser, pathToFileURL(file).href, visit).then(
          (visited) => () => visited,
          (error) => () => {
            throw error;
          },
        );
      }
      return answers as never;
    } finally {
      await browser.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
