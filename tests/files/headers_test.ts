import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { entityTag, formatEntityTag, parseEntityTags } from "../../src/files/entity_tag.ts";
import { fileHandler } from "../../src/files/file_handler.ts";
import { parseHttpDate } from "../../src/files/parse_http_date.ts";
import { type ByteRange, parseRange } from "../../src/files/parse_range.ts";
import { resolveTarget } from "../../src/files/resolve_target.ts";
import { withFixture } from "./fixture.ts";
import fc from "fast-check";
import { draws } from "../lib/thorough.ts";

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

test("parseHttpDate reads what toUTCString writes", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 253402300799 }), (value) => {
    assertEquals(parseHttpDate(new Date(value * 1000).toUTCString()), value);
  }));
});

test("parseHttpDate reads the three forms of the standard, a leap second as the next, and nothing else", () => {
  const seconds = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000;
  const midnight = Date.UTC(1994, 10, 7) / 1000;
  const yearOf = (year: number) => Date.UTC(year, 0) / 1000;
  const rows: Readonly<Record<string, number | undefined>> = {
    "Sun, 06 Nov 1994 08:49:37 GMT": seconds,
    "Sunday, 06-Nov-94 08:49:37 GMT": seconds,
    "Sun Nov  6 08:49:37 1994": seconds,
    "Sun, 06 Nov 1994 23:59:59 GMT": midnight - 1,
    "Sun, 06 Nov 1994 23:59:60 GMT": midnight,
    // At most 50 years ahead.
    "Monday, 01-Jan-00 00:00:00 GMT": yearOf(2000),
    "Monday, 01-Jan-26 00:00:00 GMT": yearOf(2026),
    "Monday, 01-Jan-76 00:00:00 GMT": yearOf(2076),
    "Monday, 01-Jan-77 00:00:00 GMT": yearOf(1977),
    "Monday, 01-Jan-99 00:00:00 GMT": yearOf(1999),
    "": undefined,
    "0": undefined,
    "1994-11-06T08:49:37Z": undefined,
    "Sun, 6 Nov 1994 08:49:37 GMT": undefined,
    "Sun, 06 Nov 1994 08:49:37": undefined,
    "Sun, 06 Nov 1994 08:49:37 UTC": undefined,
    "sun, 06 nov 1994 08:49:37 gmt": undefined,
    "Sun, 31 Feb 1994 08:49:37 GMT": undefined,
    "Sun, 00 Nov 1994 08:49:37 GMT": undefined,
    "Sun, 06 Nov 1994 24:00:00 GMT": undefined,
    "Sun, 06 Nov 1994 08:60:00 GMT": undefined,
    "Sun, 06 Nov 1994 08:49:61 GMT": undefined,
    "Sun, 06 Foo 1994 08:49:37 GMT": undefined,
  };
  for (const [text, wanted] of Object.entries(rows)) {
    assertEquals(parseHttpDate(text, Date.UTC(2026, 0, 1)), wanted, text);
  }
});

test("parseRange joins ranges that overlap or touch, and keeps the order of the others", () => {
  const found = (text: string) => {
    const ranges = parseRange(`bytes=${text}`, 100);
    return Array.isArray(ranges)
      ? ranges.map(({ start, end }) => `${start}-${end - 1}`).join()
      : ranges;
  };
  assertEquals(found("10-19,0-4"), "10-19,0-4");
  assertEquals(found("0-4,3-9"), "0-9");
  assertEquals(found("0-4,5-9"), "0-9");
  assertEquals(found("0-4,6-9"), "0-4,6-9");
  assertEquals(found("20-29,0-4,10-19"), "10-29,0-4");
  assertEquals(found("0-4,20-29,5-19"), "0-29");
  assertEquals(found("50-,-10,0-0"), "50-99,0-0");
  assertEquals(found("0-1,500-,-0"), "0-1");
  assertEquals(found("500-,-0"), "unsatisfiable");
});

test("parseRange covers the bytes that are named, each once, in any list of ranges", () => {
  const range = fc.tuple(fc.nat(60), fc.nat(60)).map(([one, other]) =>
    [Math.min(one, other), Math.max(one, other)] as const
  );
  fc.assert(fc.property(fc.array(range, { minLength: 1, maxLength: 16 }), (wanted) => {
    const found = parseRange(`bytes=${wanted.map(([a, b]) => `${a}-${b}`).join()}`, 50);
    const covered = new Set<number>();
    for (const [a, b] of wanted) for (let at = a; at <= Math.min(b, 49); at++) covered.add(at);
    if (covered.size === 0) return assertEquals(found, "unsatisfiable");
    const got = (found as ByteRange[]).flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, index) => start + index)
    );
    assertEquals(got.length, covered.size);
    assertEquals(new Set(got), covered);
  }));
});

test("resolveTarget takes the path out of whatever a runtime calls the URL, decodes once, and goes down alone", () => {
  const [file, folder] = [["a", "b"], []];
  const rows: Readonly<Record<string, readonly string[] | undefined>> = {
    ...{ "/a/b": file, "/a/b?c/../d": file, "/a/b#c": file, "http://host/a/b": file },
    ...{ "HTTP://host:1/a/b?c": file, "/%61/b": file, "/%252e%252e": ["%2e%2e"], "/%25": ["%"] },
    ...{ "/": folder, "http://host": folder, "/?a": folder, "/a/": ["a"] },
    ...{ "": undefined, "*": undefined, "a": undefined, "//": undefined, "/a//": undefined },
    ...{ "/a//b": undefined, "/.": undefined, "/..": undefined, "/%2e%2E": undefined },
    "\\a": undefined,
  };
  for (const [target, names] of Object.entries(rows)) {
    const isFolder = names === folder || target === "/a/";
    const wanted = names === undefined ? undefined : { names, isFolder };
    assertEquals(resolveTarget(target) as unknown, wanted, target);
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

test("a list of more than 100 tags is a list of none", () => {
  const list = (count: number) => Array.from({ length: count }, (_, at) => `"${at}"`).join();
  assertEquals(parseEntityTags(list(100)).length, 100);
  assertEquals(parseEntityTags(list(101)), []);
});

test("a header of more than 8 KiB is no condition's match and no range", () =>
  withFixture(async (root) => {
    const files = fileHandler(root);
    const ask = async (name: string, value: string) => {
      const request = new Request("http://localhost/hello.txt", { headers: { [name]: value } });
      const response = await files(request);
      await response.body?.cancel();
      return response.status;
    };
    const etag = (await files(new Request("http://localhost/hello.txt"))).headers.get("etag")!;
    const long = (text: string) => `${text},${" ".repeat(9000)},${text}`;
    assertEquals(await ask("if-none-match", etag), 304);
    assertEquals(await ask("if-none-match", long(etag)), 200);
    assertEquals(await ask("if-match", etag), 200);
    assertEquals(await ask("if-match", long(etag)), 412);
    assertEquals(await ask("range", `bytes=0-${"9".repeat(8000)}`), 206);
    assertEquals(await ask("range", `bytes=0-${"9".repeat(9000)}`), 200);
  }));
