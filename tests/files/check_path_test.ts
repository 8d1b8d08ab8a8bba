import { assertEquals, assertThrows } from "@std/assert";
import { resolve, sep } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { checkPath } from "../../src/files/check_path.ts";

test("a path or a file: URL is made absolute at once, and anything else is refused", () => {
  const path = resolve("some where", "a%.txt");
  assertEquals(checkPath("serve", "root", path), path);
  assertEquals(checkPath("serve", "root", pathToFileURL(path)), path);
  assertEquals(checkPath("serve", "root", `some where${sep}a%.txt`), path);
  for (const bad of ["", undefined, null, 1, {}, new URL("http://localhost/a.txt")]) {
    assertThrows(
      () => checkPath("serve", "root", bad),
      TypeError,
      "Cannot serve: root must be a path or a file: URL",
    );
  }
});
