import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { chooseCodings } from "../../src/files/choose_coding.ts";
import { parseEntityTags } from "../../src/files/entity_tag.ts";
import { fileHandler } from "../../src/files/file_handler.ts";
import { parseHttpDate } from "../../src/files/parse_http_date.ts";
import { parseRange } from "../../src/files/parse_range.ts";
import { preconditions, rangeApplies } from "../../src/files/preconditions.ts";
import { queryOf, resolveTarget } from "../../src/files/resolve_target.ts";
import { withFixture } from "./fixture.ts";

/** The source of an expression that looks at each character at most once: classes, and nothing that repeats. */
const withoutRepetition = /^(?:\[[^\]]*\]|[^[*+{])*$/;

/**
 * How many steps `run` takes over texts: a character that is looked at is one, a regular expression with repetitions
 * counts as the square of its text, which it may take.
 */
function countSteps(run: () => void): number {
  const { charCodeAt } = String.prototype;
  const { exec } = RegExp.prototype;
  let steps = 0;
  String.prototype.charCodeAt = function (at) {
    steps++;
    return charCodeAt.call(this, at);
  };
  RegExp.prototype.exec = function (text) {
    const repeats = exec.call(withoutRepetition, this.source) === null;
    steps += repeats ? text.length ** 2 : text.length;
    return exec.call(this, text);
  };
  try {
    run();
  } finally {
    String.prototype.charCodeAt = charCodeAt;
    RegExp.prototype.exec = exec;
  }
  return steps;
}

const validators = { tag: { opaque: '"b"', weak: false }, lastModified: 0 };

const parsers: Readonly<Record<string, (text: string) => void>> = {
  parseEntityTags,
  parseHttpDate: (text) => parseHttpDate(text, 0),
  parseRange: (text) => parseRange(text, 1000),
  chooseCodings,
  resolveTarget,
  queryOf,
  preconditions: (text) => preconditions(() => text, validators),
  rangeApplies: (text) => rangeApplies(() => text, validators),
};

/** Texts that make an expression with two readings of the same part begin again and again. */
const hostile: Readonly<Record<string, (length: number) => string>> = {
  "blanks within a list of tags": (length) => `"a",${" ".repeat(length)}x`,
  "tabs after a tag": (length) => `"a"${"\t".repeat(length)}x`,
  "blanks alone": (length) => " ".repeat(length),
  "tags that do not end": (length) => '"a,'.repeat(length / 3),
  "many tags": (length) => '"",'.repeat(length / 3),
  "weak beginnings": (length) => "W/,".repeat(length / 3),
  "commas": (length) => ",".repeat(length),
  "a range of blanks": (length) => `bytes=${" ".repeat(length)}1-2${" ".repeat(length)}x`,
  "a range of digits": (length) => `bytes=${"0".repeat(length)}1-${"9".repeat(length)}`,
  "ranges": (length) => `bytes=${"1-2 , ".repeat(length / 6)}`,
  "codings of blanks": (length) => `gzip${" ".repeat(length)};${" ".repeat(length)}q=1x`,
  "weights": (length) => `gzip;q=0.${"1".repeat(length)}`,
  "semicolons": (length) => `gzip${";".repeat(length)}`,
  "a date of digits": (length) => `Sun, 06 Nov 1994 ${"0".repeat(length)}`,
  "a target of slashes": (length) => "/".repeat(length),
  "a target of question marks": (length) => `/${"?".repeat(length)}`,
  "a scheme": (length) => `${"a".repeat(length)}://${"b".repeat(length)}`,
  "an encoded target": (length) => `/${"%41".repeat(length / 3)}`,
};

for (const [name, parse] of Object.entries(parsers)) {
  test(`${name} takes steps in proportion to what a client sends`, () => {
    for (const [what, make] of Object.entries(hostile)) {
      for (const length of [600, 6000, 60_000]) {
        const text = make(length);
        const steps = countSteps(() => parse(text));
        assert(steps <= 20 * text.length + 20_000, `${what}, ${length}: ${steps} steps`);
      }
    }
  });
}

test("what is asked of the parsers is counted", () => {
  const text = hostile["blanks within a list of tags"]!(600);
  assert(countSteps(() => parseEntityTags(text)) >= 600);
  assertEquals(countSteps(() => /^[ \t]*(?:"a")?[ \t]*$/.test(text)), text.length ** 2);
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
