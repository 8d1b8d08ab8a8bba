import { answerInPage, type BrowserReport, type Page, servePage } from "./_browser.ts";
import type { WebKitPrograms } from "./_find_webkit.ts";
import { withWebKit } from "./_with_webkit.ts";

/** Opens a page's module in WebKit's MiniBrowser, and calls each function it exports. */
export function runInWebKit(programs: WebKitPrograms, page: Page): Promise<BrowserReport> {
  return servePage(page, (origin) =>
    withWebKit(programs, async ({ open, run }) => {
      await open(origin);
      return await run(answerInPage, `${origin}page.js`);
    }));
}
