import process from "node:process";
import { findWorkerd } from "../../runtimes/find_workerd.ts";
import { runInWorkerd } from "./_run_in_workerd.ts";
import { testInBrowser } from "./_test_in_browser.ts";

const executable = findWorkerd();

testInBrowser({
  name: "workerd",
  target: "es2024",
  run: executable === undefined ? undefined : (page) => runInWorkerd(executable, page),
  advice: "set HOSEPIPE_WORKERD to its executable",
  isRequired: process.env.HOSEPIPE_REQUIRE_WORKERD === "1",
  laws: "./_laws_in_workerd_page.ts",
});
