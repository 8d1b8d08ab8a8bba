import process from "node:process";
import { answerInPage, type BrowserReport, type Page, servePage } from "./_browser.ts";
import { findWebKit, type WebKitPrograms, withWebKit } from "./_with_webkit.ts";
import { testInBrowser } from "./_test_in_browser.ts";

/** Opens a page's module in WebKit's MiniBrowser, and calls each function it exports. */
function runInWebKit(programs: WebKitPrograms, page: Page): Promise<BrowserReport> {
  return servePage(page, (origin) =>
    withWebKit(programs, async ({ open, run }) => {
      await open(origin);
      return await run(answerInPage, `${origin}page.js`);
    }));
}

const programs = findWebKit();

testInBrowser({
  name: "WebKit",
  target: "safari16.4",
  run: programs === undefined ? undefined : (page) => runInWebKit(programs, page),
  advice: "install webkit2gtk-driver, gir1.2-webkit2-4.1 and xvfb",
  isRequired: process.env.HOSEPIPE_REQUIRE_WEBKIT === "1",
});
