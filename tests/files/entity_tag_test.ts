import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { entityTag, formatEntityTag, parseEntityTags } from "../../src/files/entity_tag.ts";

const facts = { size: 10, modifiedMs: 1000 };

test("a tag is a file's length and time, and of each coding another", () => {
  assertEquals(entityTag(facts, 1e9).opaque, '"a-3e8"');
  assertEquals(entityTag({ ...facts, modifiedMs: 1001 }, 1e9).opaque, '"a-3e9"');
  assertEquals(entityTag({ ...facts, size: 11 }, 1e9).opaque, '"b-3e8"');
  assertEquals(entityTag(facts, 1e9, "br").opaque, '"a-3e8-br"');
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
