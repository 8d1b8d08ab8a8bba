import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { resolveTarget } from "../../src/files/resolve_target.ts";
import { draws } from "../lib/thorough.ts";

test("resolveTarget takes the path out of whatever a runtime calls the URL", () => {
  for (
    const target of [
      "/a/b",
      "/a/b?c/../d",
      "/a/b#c",
      "http://host/a/b",
      "HTTP://host:1/a/b?c",
      "/%61/b",
    ]
  ) {
    assertEquals(resolveTarget(target), { names: ["a", "b"], isFolder: false }, target);
  }
});

test("resolveTarget decodes once", () => {
  assertEquals(resolveTarget("/%252e%252e")?.names, ["%2e%2e"]);
  assertEquals(resolveTarget("/%25")?.names, ["%"]);
});

test("resolveTarget tells a folder by its slash", () => {
  for (const [target, names] of [["/", []], ["http://host", []], ["/?a", []], ["/a/", ["a"]]]) {
    assertEquals(
      resolveTarget(target as string),
      { names, isFolder: true } as unknown,
      `${target}`,
    );
  }
});

test("resolveTarget leads nowhere from what is no plain way down", () => {
  for (
    const target of [
      "",
      "*",
      "a",
      "//",
      "/a//",
      "/a//b",
      "/.",
      "/..",
      "/%2e%2E",
      "\\a",
    ]
  ) {
    assertEquals(resolveTarget(target), undefined, target);
  }
});

test("resolveTarget gives only names that stay in the folder they are looked up in", () => {
  const piece = fc.constantFrom(
    "..",
    ".",
    "/",
    "\\",
    "%",
    "2e",
    "%2e",
    "%2f",
    "%5c",
    "%00",
    "a",
    "\0",
    "?",
    "#",
  );
  let resolved = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const names = resolveTarget(`/${pieces.join("")}`)?.names;
      if (names === undefined) return;
      resolved++;
      for (const name of names) {
        assert(name !== "" && name !== "." && name !== "..", JSON.stringify(names));
        assert(!/[/\\\0]/.test(name), JSON.stringify(names));
      }
    }),
    { numRuns: draws(500) },
  );
  assert(resolved > 0);
});
