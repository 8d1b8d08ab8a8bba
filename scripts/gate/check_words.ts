import { readFile } from "node:fs/promises";
import { listFiles } from "./list_files.ts";
import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";
import { wordProblems } from "./word_problems.ts";

const root = new URL("../../", import.meta.url);
const pages = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "llms.txt"],
  ...await listFiles(root, "docs", ".md"),
];
const files = await readProject();
for (const page of pages) files.set(page, await readFile(new URL(page, root), "utf8"));
// The list itself.
files.delete("scripts/gate/banned_phrases.ts");
reportProblems(`words of ${files.size} files`, wordProblems(files));
