import { execFileSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { filesWithExamples } from "../test/plan_tests.ts";

// All code is compiled in one go, and with it the examples of the documentation, which the tests run.
const root = new URL("../../", import.meta.url);
const pages = (await filesWithExamples(root)).filter((path) => path.endsWith(".md"));
const { executable } = await findRuntime("deno");
try {
  execFileSync(executable, ["check", "--quiet", "--doc", ".", ...pages], {
    cwd: fileURLToPath(root),
    stdio: "inherit",
  });
} catch {
  // What is wrong, the compiler has said.
  process.exit(1);
}
console.log(`types of all code, and of the examples of ${pages.length} pages: in order`);
