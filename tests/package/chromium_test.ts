import process from "node:process";
import { isThorough } from "../lib/thorough.ts";
import { findChromium } from "./_find_chromium.ts";
import { runInChromium } from "./_run_in_chromium.ts";
import { testInBrowser } from "./_test_in_browser.ts";

const executable = findChromium();

testInBrowser({
  name: "Chromium",
  target: "es2024",
  run: executable === undefined ? undefined : (page) => runInChromium(executable, page),
  advice: "set HOSEPIPE_CHROMIUM to its executable",
  isRequired: process.env.HOSEPIPE_REQUIRE_CHROMIUM === "1",
  laws: isThorough ? "./_laws_page.ts" : "./_gate_laws_page.ts",
});
