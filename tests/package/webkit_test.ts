import process from "node:process";
import { findWebKit } from "./_find_webkit.ts";
import { runInWebKit } from "./_run_in_webkit.ts";
import { testInBrowser } from "./_test_in_browser.ts";

const programs = findWebKit();

testInBrowser({
  name: "WebKit",
  target: "safari16.4",
  run: programs === undefined ? undefined : (page) => runInWebKit(programs, page),
  advice: "install webkit2gtk-driver, gir1.2-webkit2-4.1 and xvfb",
  isRequired: process.env.HOSEPIPE_REQUIRE_WEBKIT === "1",
});
