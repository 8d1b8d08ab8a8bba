import { chromium } from "playwright-core";
import { answerInPage, type BrowserReport, type Page, servePage } from "./_browser.ts";

/** Opens a page's module in Chromium, and calls each function it exports. */
export function runInChromium(executablePath: string, page: Page): Promise<BrowserReport> {
  return servePage(page, async (origin) => {
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    try {
      const complaints: string[] = [];
      const tab = await browser.newPage();
      tab.on("requestfailed", (request) => complaints.push(`request failed: ${request.url()}`));
      tab.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      await tab.goto(origin);
      const report = await tab.evaluate(answerInPage, "/page.js");
      return { ...report, complaints: [...report.complaints, ...complaints] };
    } finally {
      await browser.close();
    }
  });
}
