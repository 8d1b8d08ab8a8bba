import { test } from "node:test";
import { assertEquals, assertNotEquals } from "@std/assert";
import {
  entityTag,
  formatEntityTag,
  parseEntityTags,
} from "../../../node_compat/files/entity_tag.ts";

const facts = {
  device: 1n,
  inode: 123456789n,
  size: 10,
  links: 1n,
  modifiedNs: 1_000_000_000n,
  changedNs: 1_000_000_000n,
};

test("a tag changes with each fact of a file, and shows none of them", () => {
  const { opaque } = entityTag(facts, 1e9);
  for (const name of ["device", "inode", "modifiedNs", "changedNs"] as const) {
    assertNotEquals(entityTag({ ...facts, [name]: facts[name] + 1n }, 1e9).opaque, opaque, name);
  }
  assertNotEquals(entityTag({ ...facts, size: 11 }, 1e9).opaque, opaque);
  assertEquals(opaque.includes("123456789"), false);
});

test("a tag is weak until the clock has surely moved on", () => {
  assertEquals([1000, 2999, 3000].map((now) => entityTag(facts, now).weak), [true, true, false]);
  assertEquals(entityTag(facts, 0).weak, true, "a change in the future");
  assertEquals(formatEntityTag({ opaque: '"a"', weak: true }), 'W/"a"');
});

test("lists of tags are read whole or not at all", () => {
  const tags = (text: string) => parseEntityTags(text).map(formatEntityTag);
  assertEquals(tags('"a"'), ['"a"']);
  assertEquals(tags('"a", W/"b" ,"c,d"'), ['"a"', 'W/"b"', '"c,d"']);
  assertEquals(tags(',"a",,'), ['"a"']);
  assertEquals(tags('""'), ['""']);
  for (const text of ["", "a", '"a', '"a" "b"', 'w/"a"', 'W/ "a"', '"a"x', '"a\nb"', "*"]) {
    assertEquals(tags(text), [], text);
  }
});
