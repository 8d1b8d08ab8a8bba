import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { inFolder } from "../lib/in_folder.ts";
import { writeSite } from "./_write_site.ts";

/** How a page is looked at. */
export interface Viewer {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
  readonly reducedMotion?: "reduce";
}

/** A browser with the site before it. */
export interface SiteVisit {
  /** Opens a page in a context of its own, which its user closes. */
  newPage(viewer: Viewer): Promise<Page>;
  /** The address of one of the site's files. */
  addressOf(path: string): string;
  /** What pages and the browser complained of, and what they asked for outside of the site. */
  readonly complaints: readonly string[];
  /** How many bytes an address has. */
  sizeOf(address: string): Promise<number>;
}

/** Writes the site to a folder, and opens a browser on it that is offline. */
export async function visitSite<Found>(
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
        sizeOf: async (address) => (await stat(fileURLToPath(address))).size,
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
