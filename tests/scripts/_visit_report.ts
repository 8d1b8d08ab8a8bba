import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Page } from "playwright-core";

/** How the page is looked at. */
export interface Viewer {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
  /** Whether axe looks, too, which takes long. */
  readonly usesAxe: boolean;
}

/** What was seen, and what the browser complained of or asked the network for. */
export interface Visit<Seen> {
  readonly seen: readonly Seen[];
  readonly complaints: readonly string[];
}

/** Opens a document in Chromium from a file, once for each viewer, and closes everything again. */
export async function visitReport<Seen>(
  executablePath: string,
  text: string,
  viewers: readonly Viewer[],
  look: (page: Page, viewer: Viewer) => Promise<Seen>,
): Promise<Visit<Seen>> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-report-page-"));
  try {
    const file = join(folder, "report.html");
    await writeFile(file, text);
    const address = pathToFileURL(file).href;
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    try {
      const complaints: string[] = [];
      const seen: Seen[] = [];
      for (const viewer of viewers) {
        const { width, colorScheme } = viewer;
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
        page.on("pageerror", (error) => complaints.push(`uncaught: ${error}`));
        page.on("dialog", (dialog) => {
          complaints.push(`dialog: ${dialog.message()}`);
          void dialog.dismiss();
        });
        page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
        page.on("request", (request) => {
          const url = request.url();
          if (!url.startsWith(address) && !url.startsWith("data:")) complaints.push(`asked ${url}`);
        });
        await page.goto(address);
        seen.push(await look(page, viewer));
        await page.close();
      }
      return { seen, complaints };
    } finally {
      await browser.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
