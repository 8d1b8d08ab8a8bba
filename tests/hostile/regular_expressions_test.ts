import { test } from "node:test";
import { readFile } from "node:fs/promises";
import { assert, assertEquals } from "@std/assert";
import { analyse } from "scslre";
import ts from "typescript";
import { listFiles } from "../../scripts/gate/read_project.ts";

const root = new URL("../../", import.meta.url);

/** Expressions that may try again from each place, and why that does no harm. */
const harmless: Readonly<Record<string, string>> = {
  "scenarios/secrets/hide_secrets.ts /:\\/\\/|^[^\\s\"'{(]*:.*@.|pass(?:word)?=/is":
    "arguments are short",
  "scenarios/semantics/summarize.ts /(\\d+) (yes|no)/g": "the facts are our own",
  "scenarios/serve/running_server.ts /%.*$/": "hosts are short",
  "scenarios/serve/serve_pages.ts /\\?.*$/s": "a server limits the length of a target",
  "scenarios/secrets/read_address.ts /^([^/?#]*)(\\/[^?#]*)?(.*)$/s": "it never fails",
};

function expressionsOf(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true));
  return found;
}

function kindsOf(literal: string): string[] {
  const end = literal.lastIndexOf("/");
  const { reports } = analyse({ source: literal.slice(1, end), flags: literal.slice(end + 1) });
  return reports.map(({ type }) => type);
}

test("the checker knows an expression that takes more than linear time", () => {
  assert(kindsOf("/^(a+)+$/").length > 0);
  assert(kindsOf("/\\s+$/").length > 0);
  assertEquals(kindsOf("/^[a-z]+=[0-9]+$/"), []);
});

for (const folder of ["src", "node_compat", "scenarios"]) {
  test(`no regular expression in ${folder} takes more than linear time`, async () => {
    const problems: string[] = [];
    for (const path of await listFiles(root, folder, ".ts")) {
      const text = await readFile(new URL(path, root), "utf8");
      for (const literal of expressionsOf(path, text)) {
        if (Object.hasOwn(harmless, `${path} ${literal}`)) continue;
        const kinds = kindsOf(literal);
        if (kinds.length > 0) problems.push(`${path} ${literal} ${kinds}`);
      }
    }
    assertEquals(problems, []);
  });
}
