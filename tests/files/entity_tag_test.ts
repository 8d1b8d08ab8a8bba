import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { entityTag, formatEntityTag, parseEntityTags } from "../../src/files/entity_tag.ts";

const time = Date.UTC(2026, 0);
const facts = { size: 10, modifiedMs: time, changedMs: time };

test("a tag is a file's length and time, and of each coding another", () => {
  const hex = time.toString(16);
  assertEquals(entityTag(facts, Infinity).opaque, `"a-${hex}"`);
  assertEquals(
    entityTag({ ...facts, modifiedMs: time + 1 }, Infinity).opaque,
    `"a-${hex.slice(0, -1)}1"`,
  );
  assertEquals(entityTag({ ...facts, size: 11 }, Infinity).opaque, `"b-${hex}"`);
  assertEquals(entityTag(facts, Infinity, "br").opaque, `"a-${hex}-br"`);
});

test("a tag is weak until the clock has surely moved on", () => {
  const weakAt = (ms: number) => entityTag(facts, time + ms).weak;
  assertEquals([0, 1999, 2000].map(weakAt), [true, true, false]);
  assertEquals(weakAt(-1000), true, "a change in the future");
  assertEquals(formatEntityTag({ opaque: '"a"', weak: true }), 'W/"a"');
});

test("of bytes in memory a tag is theirs, and strong at once", () => {
  const tags = ["a", "b"].map((text) => entityTag(facts, 0, "", new TextEncoder().encode(text)));
  assertEquals(tags.map(({ weak }) => weak), [false, false]);
  assertEquals(tags.map(({ opaque }) => opaque.length), [26, 26]);
  assertEquals(tags[0]!.opaque === tags[1]!.opaque, false);
});

test("a time that all files have says nothing: that of the last change of any kind does, and is weak", () => {
  const old = { ...facts, modifiedMs: 1000 };
  const later = { ...old, changedMs: time + 1000 };
  assertEquals(entityTag(old, Infinity).weak, true);
  assertEquals(entityTag(old, Infinity).opaque === entityTag(later, Infinity).opaque, false);
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
