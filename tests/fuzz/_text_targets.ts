import { assert, assertEquals } from "@std/assert";
import { parseInstant } from "../../scenarios/extract/parse_instant.ts";
import { HelpRequest } from "../../scripts/command_line/help_request.ts";
import { parseCommandLine } from "../../scripts/command_line/parse_command_line.ts";
import { UsageError } from "../../scripts/command_line/usage_error.ts";
import { chooseCodings } from "../../src/files/choose_coding.ts";
import { parseHttpDate } from "../../src/files/parse_http_date.ts";
import { parseRange } from "../../src/files/parse_range.ts";
import { preconditions, rangeApplies } from "../../src/files/preconditions.ts";
import { resolveTarget } from "../../src/files/resolve_target.ts";
import type { Target } from "./_target.ts";

const decoder = new TextDecoder();
const size = 1000;
const validators = { tag: { weak: false, opaque: "x" }, lastModified: 0 };

function checkRange(text: string): void {
  const ranges = parseRange(`bytes=${text}`, size);
  if (ranges === undefined || ranges === "unsatisfiable") return;
  let last = 0;
  for (const { start, end } of [...ranges].sort((one, other) => one.start - other.start)) {
    assert(Number.isInteger(start) && Number.isInteger(end), text);
    assert(last <= start && start < end && end <= size, `${text}: ${start} to ${end}`);
    last = end;
  }
}

function checkConditions(text: string): void {
  for (const name of ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"]) {
    const status = preconditions((asked) => asked === name ? text : undefined, validators);
    assert([undefined, 304, 412].includes(status));
  }
  assertEquals(typeof rangeApplies(() => text, validators), "boolean");
}

function checkTarget(text: string): void {
  for (const name of resolveTarget(`/${text}`)?.names ?? []) {
    assert(![".", ".."].includes(name) && !/[/\0]/.test(name), `${text} leads to ${name}`);
  }
}

function checkCodings(text: string): void {
  const names = chooseCodings(text).map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
}

function checkDate(text: string): void {
  const seconds = parseHttpDate(text, 0);
  assert(seconds === undefined || Number.isSafeInteger(seconds), text);
}

function checkInstant(text: string): void {
  try {
    assert(Number.isFinite(parseInstant(text, "Europe/Berlin")), text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

function checkFlags(text: string): void {
  try {
    const parsed = parseCommandLine(text.split("\n"), {
      command: "test",
      about: "A command.",
      flags: {
        text: { kind: "text", value: "X", about: "a text" },
        list: { kind: "list", value: "X,…", about: "a list", choices: ["a", "b"] },
        count: { kind: "integer", about: "a number" },
        flag: { kind: "boolean", about: "a flag" },
      },
      examples: ["a", "b"],
    });
    assert(parsed.count === undefined || Number.isSafeInteger(parsed.count), text);
    assert((parsed.list ?? []).every((one: string) => ["a", "b"].includes(one)), text);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof HelpRequest)) throw error;
  }
}

function targetOf(
  name: string,
  code: RegExp,
  check: (text: string) => void,
  seeds: readonly string[],
  tokens: readonly string[],
): Target {
  return { name, code, seeds, tokens, check: (bytes) => check(decoder.decode(bytes)) };
}

export const textTargets: readonly Target[] = [
  targetOf("range", /src\/files\/parse_range/, checkRange, ["0-1", "-5,7-", "1-2, 2-3,900-"], [
    ...["0", "1", "9", "-", ",", " ", "\t", "99999999999999999999", "5-", "-1"],
  ]),
  targetOf(
    "conditions",
    /src\/files\/(?:preconditions|entity_tag|parse_http_date)/,
    checkConditions,
    ['"x", W/"y"', "*", "Sun, 06 Nov 1994 08:49:37 GMT"],
    ['"', "W/", ",", " ", "*", '"x"', "\t", "ü", "\\"],
  ),
  targetOf("target", /src\/files\/resolve_target/, checkTarget, ["a/b?c#d", "%2e%2e/x", "//h/x"], [
    ...["/", "..", ".", "%2e", "%2f", "%5c", "\\", "%00", "?", "#", "%", "http:", "ü", "%ff"],
  ]),
  targetOf("codings", /src\/files\/choose_coding/, checkCodings, ["gzip;q=0.5, br", "*;q=0"], [
    ...["gzip", "br", "zstd", "identity", "*", ";q=", "0", "1", ".", ",", " "],
  ]),
  targetOf(
    "date",
    /src\/files\/parse_http_date/,
    checkDate,
    [
      "Sun, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
    ],
    ["Sun", "Sunday", "Nov", "06", "1994", "94", ":", " ", "GMT", "-", "60", "31"],
  ),
  targetOf(
    "instant",
    /scenarios\/extract\/parse_instant/,
    checkInstant,
    ["2026-01-31", "2026-03-29T02:30", "2026-01-31T08:30:00.5+14:00"],
    ["2026", "-", "02", "30", "T", ":", "Z", "+", ".", "9", "00"],
  ),
  targetOf(
    "flags",
    /scripts\/command_line\/(?:parse_command_line|nearest_flag)/,
    checkFlags,
    ["--text\nx\n--count=3", "--list=a,b\n--flag\ny", "--help"],
    [
      "--",
      "-",
      "=",
      "\n",
      "text",
      "list",
      "count",
      "flag",
      "no-",
      "a",
      ",",
      "7",
      "1e3",
      "__proto__",
    ],
  ),
];
