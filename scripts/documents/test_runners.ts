import { readFileSync } from "node:fs";

const folder = new URL("../../tests/package/project/runners/", import.meta.url);

const runners: readonly (readonly [name: string, title: string, file: string, command: string])[] =
  [
    ["node", "node:test", "hours.test.js", "node --test"],
    ["deno", "deno test", "hours_test.js", "deno test"],
    ["bun", "bun test", "hours.test.js", "bun test"],
    ["vitest", "Vitest", "hours.test.js", "npx vitest run"],
    [
      "jest",
      "Jest",
      "hours.test.js",
      "NODE_OPTIONS=--experimental-vm-modules npx jest",
    ],
  ];

function codeOf(file: string): string {
  return `\`\`\`js ignore\n${readFileSync(new URL(file, folder), "utf8").trimEnd()}\n\`\`\``;
}

/** The same first test in each runner, with the command that runs it. */
export function testRunners(): string {
  return runners.map(([name, title, file, command]) =>
    `### ${title}\n\n\`${command}\`, with this as \`${file}\`:\n\n${
      codeOf(`first_with_${name}.js`)
    }`
  ).join("\n\n");
}

/** A test for each part of the kit, which each runner runs. */
export function testCases(): string {
  return codeOf("cases.js");
}
