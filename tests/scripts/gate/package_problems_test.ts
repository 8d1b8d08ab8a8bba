import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { packageProblems } from "../../../scripts/gate/package_problems.ts";

const whole: readonly (readonly [string, string])[] = [
  ["package.json", "{}"],
  ["README.md", "# hosepipe"],
  ["LICENSE", "MIT"],
  ["mod.js", "export {};"],
  ["mod.d.ts", "export {};"],
];

test("packageProblems finds nothing where code, declarations and documents are", () => {
  assertEquals(packageProblems(new Map([...whole, ["src/map.js", "/home"]]), ["/home/me"]), []);
});

test("packageProblems finds sources that no module reaches", () => {
  assertEquals(packageProblems(new Map([...whole, ["src/draft.ts", ""]]), []), [
    "src/draft.ts: no module reaches it; exclude it in deno.json's publish",
  ]);
});

test("packageProblems finds folders of the machine, in whichever form", () => {
  const files = new Map([...whole, ["a.js", "//# file:///home/me/a.ts"], ["b.js", "/home/me/b"]]);
  assertEquals(packageProblems(files, ["file:///home/me", "/home/me"]), [
    "a.js: names file:///home/me, a folder of this machine",
    "b.js: names /home/me, a folder of this machine",
  ]);
});

test("packageProblems finds what is missing", () => {
  assertEquals(packageProblems(new Map(whole.slice(0, 3)), []), [
    "mod.js: is missing",
    "mod.d.ts: is missing",
  ]);
});
