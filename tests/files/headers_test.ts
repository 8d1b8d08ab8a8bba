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

const seconds = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000;

test("parseHttpDate reads the three forms of the standard", () => {
  assertEquals(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), seconds);
  assertEquals(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT"), seconds);
  assertEquals(parseHttpDate("Sun Nov  6 08:49:37 1994"), seconds);
});

test("parseHttpDate reads what toUTCString writes", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 253402300799 }), (value) => {
    assertEquals(parseHttpDate(new Date(value * 1000).toUTCString()), value);
  }));
});

test("parseHttpDate puts a year of two digits at most 50 years ahead", () => {
  const now = Date.UTC(2026, 0, 1);
  const yearOf = (text: string) =>
    new Date(parseHttpDate(`Monday, 01-Jan-${text} 00:00:00 GMT`, now)! * 1000).getUTCFullYear();
  assertEquals(["00", "26", "76", "77", "99"].map(yearOf), [2000, 2026, 2076, 1977, 1999]);
});

test("parseHttpDate reads nothing else", () => {
  for (
    const text of ["", "now", "0", "1994-11-06T08:49:37Z", "Sun, 6 Nov 1994 08:49:37 GMT"]
      .concat([
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "sun, 06 nov 1994 08:49:37 gmt",
      ])
      .concat([
        "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT",
      ])
  ) {
    assertEquals(parseHttpDate(text), undefined, text);
  }
});

test("parseHttpDate reads the last moment of a day, and a leap second as the one after it", () => {
  const midnight = Date.UTC(1994, 10, 7) / 1000;
  assertEquals(parseHttpDate("Sun, 06 Nov 1994 23:59:59 GMT"), midnight - 1);
  assertEquals(parseHttpDate("Sun, 06 Nov 1994 23:59:60 GMT"), midnight);
});

/** The only range that was found. */
function only(found: ReturnType<typeof parseRange>): ByteRange {
  const [range, ...others] = found as ByteRange[];
  assertEquals(others, []);
  return range!;
}

const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);

test("parseRange means by first and last what slice means by them", () => {
  fc.assert(fc.property(fc.nat(1100), fc.nat(1100), fc.nat(1000), (first, last, size) => {
    const found = parseRange(`bytes=${first}-${last}`, size);
    const wanted = bytes.slice(0, size).slice(first, last + 1);
    if (last < first) assertEquals(found, undefined);
    else if (size === 0 && first === 0) {
      assertEquals(found, undefined, "an empty file is all there is");
    } else if (first >= size) assertEquals(found, "unsatisfiable");
    else {
      const { start, end } = only(found);
      assertEquals(bytes.slice(start, end), wanted);
      assertEquals(end <= size, true);
    }
  }));
});

test("parseRange means by an open end and by a suffix what slice means by them", () => {
  fc.assert(fc.property(fc.nat(1100), fc.integer({ min: 1, max: 1000 }), (count, size) => {
    const whole = bytes.slice(0, size);
    const check = (header: string, wanted: Uint8Array) => {
      const found = parseRange(header, size);
      if (wanted.length === 0) assertEquals(found, "unsatisfiable");
      else {
        const { start, end } = only(found);
        assertEquals(bytes.slice(start, end), wanted);
      }
    };
    check(`bytes=${count}-`, whole.slice(count));
    check(`bytes=-${count}`, count === 0 ? new Uint8Array() : whole.slice(-count));
  }));
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
