import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { packageProblems } from "../../../scripts/gate/package_problems.ts";

const whole: readonly (readonly [string, string])[] = [
  ["package.json", "{}"],
  ["README.md", "# hosepipe"],
  ["LICENSE", "MIT"],
  ["llms.txt", "# hosepipe"],
  ["llms-full.txt", "# hosepipe"],
  ["CHANGELOG.md", "# Changelog"],
  ["dist/mod.js.map", "{}"],
  ["dist/mod.js", "export {};"],
  ["dist/mod.d.ts", "export {};"],
];

test("packageProblems finds nothing where code, declarations and documents are", () => {
  assertEquals(
    packageProblems(new Map([...whole, ["dist/src/map.js", "/home"]]), ["/home/me"]),
    [],
  );
});

test("packageProblems finds sources that no module reaches", () => {
  assertEquals(packageProblems(new Map([...whole, ["src/draft.ts", ""]]), []), [
    "src/draft.ts: no module reaches it; exclude it in deno.json's publish",
  ]);
});

test("packageProblems finds a second changelog", () => {
  assertEquals(packageProblems(new Map([...whole, ["dist/CHANGELOG.md", ""]]), []), [
    "dist/CHANGELOG.md: no module reaches it; exclude it in deno.json's publish",
  ]);
});

test("packageProblems finds folders of the machine, in whichever form", () => {
  const files = new Map([...whole, ["dist/a.js", "//# file:///home/me/a.ts"], [
    "dist/b.js",
    "/home/me/b",
  ]]);
  assertEquals(packageProblems(files, ["file:///home/me", "/home/me"]), [
    "dist/a.js: names file:///home/me, a folder of this machine",
    "dist/b.js: names /home/me, a folder of this machine",
  ]);
});

test("packageProblems finds what is missing", () => {
  assertEquals(packageProblems(new Map(whole.slice(0, 7)), []), [
    "dist/mod.js: is missing",
    "dist/mod.d.ts: is missing",
  ]);
});
