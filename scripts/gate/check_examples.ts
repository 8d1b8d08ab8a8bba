import { execFileSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { filesWithExamples } from "../test/plan_tests.ts";

// The examples of the documentation are compiled here, and run by the tests.
const root = new URL("../../", import.meta.url);
const files = await filesWithExamples(root);
const { executable } = await findRuntime("deno");
try {
  execFileSync(executable, ["check", "--quiet", "--doc-only", ...files], {
    cwd: fileURLToPath(root),
    stdio: "inherit",
  });
} catch {
  // What is wrong, the compiler has said.
  process.exit(1);
}
console.log(`types of the examples in ${files.length} files: in order`);
