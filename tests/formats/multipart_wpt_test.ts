import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { cutsOf } from "./_cuts.ts";
import { type Read, readForm } from "./_multipart.ts";

const boundary = "boundary";
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const disposition = 'Content-Disposition: form-data; name="a"';
const fileDisposition = `${disposition}; filename="f"`;

/** A form of one part with these headers. */
function formOf(headers: readonly string[], body = "value", close = "--boundary--\r\n"): string {
  return ["--boundary", ...headers, "", body, close].join("\r\n");
}

/** A part in short: its name, its file's name and type, what it holds. */
type Short = readonly [name: string | undefined, filename: string | undefined, body: string];

function shorten({ name, filename, bytes }: Read): Short {
  return [name, filename, decoder.decode(Uint8Array.from(bytes))];
}

const one: readonly Short[] = [["a", undefined, "value"]];
const file: readonly Short[] = [["a", "f", "value"]];

/** What the web platform tests of `fetch/api/body/formdata-parsing` accept, by the names that it has there. */
const accepted: readonly (readonly [string, string, readonly Short[]])[] = [
  ["file part without Content-Type", formOf([fileDisposition]), file],
  ["Content-Type before Content-Disposition", formOf(["Content-Type: a/b", fileDisposition]), file],
  [
    "string and file parts, duplicate names",
    [formOf([disposition], "1", "--boundary"), fileDisposition, "", "2", "--boundary--", ""]
      .join("\r\n"),
    [["a", undefined, "1"], ["a", "f", "2"]],
  ],
  ["empty filename", formOf([`${disposition}; filename=""`]), [["a", "", "value"]]],
  ["empty string part", formOf([disposition], ""), [["a", undefined, ""]]],
  ["empty file part", formOf([fileDisposition], ""), [["a", "f", ""]]],
  ["the boundary as text", formOf([disposition], "my boundary"), [["a", undefined, "my boundary"]]],
  [
    "--boundary not preceded by CRLF",
    formOf([disposition], "x--boundary"),
    [["a", undefined, "x--boundary"]],
  ],
  ["value containing CRLF", formOf([disposition], "1\r\n2"), [["a", undefined, "1\r\n2"]]],
  [
    "transport padding after a delimiter",
    formOf([disposition]).replace("--boundary", "--boundary \t"),
    one,
  ],
  ["transport padding after close", formOf([disposition], "value", "--boundary-- \t\r\n"), one],
  ["transport padding at end of input", formOf([disposition], "value", "--boundary--  "), one],
  ["epilogue", formOf([disposition], "value", "--boundary--\r\nepilogue\r\nmore"), one],
  ["unknown headers", formOf([disposition, "X-Custom: ignored"]), one],
  [
    "Content-Transfer-Encoding is ignored",
    formOf([disposition, "Content-Transfer-Encoding: base64"], "dmFsdWU="),
    [["a", undefined, "dmFsdWU="]],
  ],
  [
    "header names are case-insensitive",
    formOf([fileDisposition.replace("Content-D", "CONTENT-d")]),
    file,
  ],
  [
    "other percent sequences in a name",
    formOf([disposition.replace('"a"', '"%25f%2Fg"')]),
    [["%25f%2Fg", undefined, "value"]],
  ],
  ["non-ASCII name", formOf([disposition.replace('"a"', '"é"')]), [["é", undefined, "value"]]],
  [
    "non-ASCII filename",
    formOf([`${disposition}; filename="中文.txt"`]),
    [["a", "中文.txt", "value"]],
  ],
  ["non-ASCII value", formOf([disposition], "😀"), [["a", undefined, "😀"]]],
  [
    "other control characters in a name",
    formOf([disposition.replace('"a"', '"a\x01\x7f"')]),
    [["a\x01\x7f", undefined, "value"]],
  ],
  [
    "_charset_ is a normal entry",
    formOf([disposition.replace('"a"', '"_charset_"')], "windows-1252"),
    [["_charset_", undefined, "windows-1252"]],
  ],
];

/** What they refuse, and so do we. */
const refused: readonly (readonly [string, string])[] = [
  ["junk after close delimiter", formOf([disposition], "value", "--boundary--junk\r\n")],
  ["header without a colon", formOf(["Content-Disposition form-data"])],
  ["header name that is not a token", formOf([disposition, "Cont ent-Type: text/plain"])],
  ["NUL in a name", formOf([disposition.replace('"a"', '"a\0b"')])],
  ["NUL in an unknown header", formOf([disposition, "X-Custom: a\0b"])],
  ["no close delimiter", `--boundary\r\n${disposition}\r\n\r\nvalue`],
  ["no CRLF before close delimiter", `--boundary\r\n${disposition}\r\n\r\nvalue--boundary--\r\n`],
  ["bare LF in a name", formOf([disposition.replace('"a"', '"a\nb"')])],
  ["bare CR in a name", formOf([disposition.replace('"a"', '"a\rb"')])],
  ["bare LF in a header value", formOf([fileDisposition, "Content-Type: text/\nhtml"])],
  ["nothing after the first delimiter", "--boundary"],
];

/** Where ours differs: RFC 2046 and RFC 7578 have these, and `FormData` cannot show them. */
const different: readonly (readonly [string, string, readonly Short[] | undefined])[] = [
  [
    "preamble before the first delimiter, which mail has",
    `preamble\r\n${formOf([disposition])}`,
    one,
  ],
  ["part without headers", "--boundary\r\n\r\nvalue\r\n--boundary--\r\n", [[
    undefined,
    undefined,
    "value",
  ]]],
  ["no Content-Disposition, as in multipart/mixed", formOf(["Content-Type: text/plain"]), [
    [undefined, undefined, "value"],
  ]],
  ["folded line", formOf(["Content-Disposition: form-data;", ' name="a"']), one],
  [
    "what a browser writes for a quote and a line break in a name is read as these",
    formOf([disposition.replace('"a"', '"a%0D%0Ab%22"')]),
    [['a\r\nb"', undefined, "value"]],
  ],
  ["blanks before a header's name, which nothing writes", formOf([` ${disposition}`]), undefined],
  [
    "blanks before a header's colon, which proxies read in two ways",
    formOf([disposition.replace(":", " \t:")]),
    undefined,
  ],
];

async function assertForm(text: string, expected: readonly Short[] | undefined): Promise<void> {
  for (const chunks of cutsOf(encoder.encode(text))) {
    if (expected === undefined) {
      await assertRejects(
        () => readForm(chunks, { boundary }),
        SyntaxError,
        "Cannot parse multipart: ",
      );
    } else {
      assertEquals((await readForm(chunks, { boundary })).map(shorten), expected);
    }
  }
}

for (const [name, text, expected] of accepted) {
  test(`read as the web platform tests have it, wherever it is cut: ${name}`, () =>
    assertForm(text, expected));
}

for (const [name, text] of refused) {
  test(`refused as the web platform tests have it, wherever it is cut: ${name}`, () =>
    assertForm(text, undefined));
}

for (const [name, text, expected] of different) {
  test(`unlike the web platform tests: ${name}`, () => assertForm(text, expected));
}

test("bytes that are no UTF-8 are replaced in a name, and left in a file", async () => {
  const [start, end] = [`--boundary\r\nContent-Disposition: form-data; name="a`, "--boundary--\r\n"]
    .map((text) => encoder.encode(text)) as [Uint8Array, Uint8Array];
  const held = [0, 0x80, 0xff, 0x0d, 0x0a, 0x2d, 0x2d];
  const bytes = Uint8Array.of(
    ...[...start, 0xff, ...encoder.encode('"; filename="f"\r\n\r\n')],
    ...[...held, 0x0d, 0x0a, ...end],
  );
  for (const chunks of cutsOf(bytes)) {
    const [part] = await readForm(chunks, { boundary });
    assertEquals([part!.name, part!.bytes], ["a\ufffd", held]);
  }
});
