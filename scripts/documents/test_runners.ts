import { readFileSync } from "node:fs";
import { markdownTable } from "./markdown_table.ts";

const folder = new URL("../../tests/package/project/runners/", import.meta.url);

const others: readonly (readonly [title: string, file: string, command: string, start: string])[] =
  [
    ["deno test", "hours_test.js", "deno test", "Deno.test(…)"],
    ["bun test", "hours.test.js", "bun test", 'import { expect, test } from "bun:test";'],
    ["Vitest", "hours.test.js", "npx vitest run", 'import { expect, test } from "vitest";'],
    [
      "Jest",
      "hours.test.js",
      "NODE_OPTIONS=--experimental-vm-modules npx jest",
      'import { expect, test } from "@jest/globals";',
    ],
  ];

/** A first test with `node:test`, and what is different in each other runner. */
export function testRunners(): string {
  const first = readFileSync(new URL("first_with_node.js", folder), "utf8").trimEnd();
  const rows = others.map(([title, file, command, start]) => [
    title,
    `\`${file}\``,
    `\`${command}\``,
    `\`${start}\``,
  ]);
  return `\`node --test\`, with this as \`hours.test.js\`:\n\n\`\`\`js ignore\n${first}\n\`\`\`\n\n${
    markdownTable(["runner", "file", "command", "instead of node:test"], rows)
  }`;
}
