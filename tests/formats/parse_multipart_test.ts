import { test } from "node:test";
import { Readable } from "node:stream";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import busboy from "busboy";
import fc from "fast-check";
import { pipeline, toArray, toText } from "@hosepipe/streams";
import { parseMultipart, type ParseMultipartOptions } from "@hosepipe/streams/formats";
import { turns } from "../lib/turns.ts";
import { cutsOf } from "./_cuts.ts";

const encoder = new TextEncoder();

/** A part as a test writes it. */
interface Written {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly bytes: Uint8Array;
}

/** A part as it was read. */
interface Read {
  readonly name: string | undefined;
  readonly filename: string | undefined;
  readonly type: string | null;
  readonly bytes: readonly number[];
}

/** The value of a form's name, as browsers write it. */
function escape(text: string): string {
  return text.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Writes a form as browsers do. */
function writeForm(parts: readonly Written[], boundary: string): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(({ name, filename, type, bytes }) => [
    encoder.encode(
      `--${boundary}\r\nContent-Disposition: form-data; name="${escape(name)}"` +
        (filename === undefined ? "" : `; filename="${escape(filename)}"`) +
        `\r\n${type === undefined ? "" : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    bytes,
    encoder.encode("\r\n"),
  ]);
  return concat([...pieces, encoder.encode(`--${boundary}--\r\n`)]);
}

/** Reads all parts, one after the other. */
async function readForm(
  chunks: Iterable<Uint8Array>,
  options: ParseMultipartOptions,
): Promise<Read[]> {
  const found: Read[] = [];
  for await (const { name, filename, headers, body } of parseMultipart(chunks, options)) {
    const bytes = [...new Uint8Array(await new Response(body as BodyInit).arrayBuffer())];
    found.push({ name, filename, type: headers.get("content-type"), bytes });
  }
  return found;
}

/** Bytes in which what begins a boundary `b` is frequent. */
const tricky: fc.Arbitrary<Uint8Array> = fc.array(
  fc.constantFrom("\r", "\n", "-", "--", "\r\n", "\r\n-", "\r\n--", "b", "a", "\r\n--a", "\0", "ü"),
  { maxLength: 12 },
).map((parts) => encoder.encode(parts.join("").replaceAll(/(^|\r\n)--b/g, "$1-b")));

const names: fc.Arbitrary<string> = fc.array(
  fc.constantFrom("a", "B", '"', "\r", "\n", ";", "=", " x", "ü", "😀", "%41", "name", "'"),
  { minLength: 1, maxLength: 5 },
).map((parts) => parts.join(""));

const boundary = "b";

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text.replaceAll("\n", "\r\n"));
}

/** A form of one part with these headers. */
function headed(headers: string): Uint8Array<ArrayBuffer> {
  return bytesOf(`--b\n${headers}\n\nx\n--b--\n`);
}

async function fieldsOf(headers: string, options: ParseMultipartOptions = {}) {
  const [part] = await readForm([headed(headers)], { boundary, ...options });
  return [part!.name, part!.filename];
}

const parts = fc.record({
  name: names,
  filename: names,
  type: fc.constantFrom("text/plain", "image/png", "application/octet-stream"),
  bytes: tricky,
}, { requiredKeys: ["name", "bytes"] });

/** A file's name as `parseMultipart` gives it. */
const withoutControls = (name?: string) => name?.replaceAll(/\p{Cc}/gu, "\ufffd");

test("what a runtime sends of its own FormData is read by the boundary of its type", async () => {
  const form = new FormData();
  form.append("title", "ü");
  form.append("photo", new File(["bytes"], "a b.jpg"));
  const sent = new Response(form);
  const headers = { "content-type": sent.headers.get("content-type")! };
  const request = new Response(await sent.arrayBuffer(), { headers });
  const found: unknown[] = [];
  for await (const { name, filename, body } of parseMultipart(request)) {
    found.push([name, filename, await toText(body)]);
  }
  assertEquals(found, [["title", undefined, "ü"], ["photo", "a b.jpg", "bytes"]]);
});

test("any form is read as busboy reads it, wherever it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { maxLength: 3 }), async (list: Written[]) => {
      const whole = writeForm(list, boundary);
      const found = await readForm([whole], { boundary });
      assertEquals(
        found.map(({ name, filename, bytes }) => [name, filename, bytes]),
        list.map(({ name, filename, bytes }) => [name, withoutControls(filename), [...bytes]]),
      );
      for (const chunks of cutsOf(whole)) assertEquals(await readForm(chunks, { boundary }), found);
      const bodies: number[][] = [];
      const parser = busboy({
        headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
        defCharset: "utf8",
      });
      parser.on("file", (_name: string, stream: Readable) => {
        const at = bodies.push([]) - 1;
        stream.on("data", (bytes: Uint8Array) => bodies[at]!.push(...bytes));
      });
      parser.on("field", (_name: string, value: string) => bodies.push([...encoder.encode(value)]));
      await new Promise((resolve, reject) =>
        Readable.from([whole]).pipe(parser).on("close", resolve).on("error", reject)
      );
      // It gives files first or late, as they flow.
      assertEquals(bodies.map(String).sort(), found.map(({ bytes }) => String(bytes)).sort());
    }),
    { numRuns: 10 },
  );
});

test("a name is what the standard's senders mean, in whatever form", async () => {
  const form = "Content-Disposition: form-data; ";
  const cases: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['name="a"; filename="b.txt"', "a", "b.txt"],
    ["NAME=a;FileName=b.txt", "a", "b.txt"],
    ['name = "a" ; filename\t=\t"b" ;', "a", "b"],
    ['name="a%22%0D%0A%41"', 'a"\r\n%41', undefined],
    ['name="ü😀"', "ü😀", undefined],
    ['name="a\\"b"; filename="c\\"', 'a"b', "c\\".slice(0, 0)],
    ['name="a"; filename*=UTF-8\'\'%e2%82%ac%20rates.txt; filename="x"', "a", "€ rates.txt"],
    ["name=\"a\"; filename*=iso-8859-1'en'%A3", "a", "£"],
    ['name="a"; filename*=utf-16\'\'%41; filename="x"', "a", "x"],
    ['name="a"; filename*=UTF-8\'\'%4; filename="x"', "a", "x"],
    ["name=\"a\"; filename*=UTF-8''..%2f..%2fetc%2fpasswd", "a", "passwd"],
    ['name="a"; filename="../../etc/passwd"', "a", "passwd"],
    ['name="a"; filename="C:\\\\temp\\\\x.txt"', "a", "x.txt"],
    ['name="a"; filename=".."', "a", ""],
    ["name=\"a\"; filename*=UTF-8''a%00b", "a", "a\ufffdb"],
    ['name="a"; filename="b%0D%0Ac"', "a", "b\ufffd\ufffdc"],
    [
      "name=\"a\"; filename*=UTF-8''b%0d%0aSet-Cookie:%20c%7f",
      "a",
      "b\ufffd\ufffdSet-Cookie: c\ufffd",
    ],
    ['name="a"; filename="C:evil.exe"', "a", "evil.exe"],
    ['name="a"; filename="x/c:.."', "a", ""],
    ['name="a"; filename="10:30.txt"', "a", "10:30.txt"],
    ['name="a"; filename=""', "a", ""],
    ["x=y", undefined, undefined],
  ];
  for (const [text, name, filename] of cases) {
    assertEquals(await fieldsOf(form + text), [name, filename], text);
  }
  assertEquals(await fieldsOf("content-disposition: form-data;\n name=a"), ["a", undefined]);
  assertEquals(await fieldsOf("Content-Type: text/plain"), [undefined, undefined]);
  assertEquals(await fieldsOf("X:"), [undefined, undefined]);
});

test("what is no multipart is refused, the part that is read too, and the source cancelled", async () => {
  const wrong: readonly (readonly [string, string])[] = [
    ["", "the body ends before its last boundary"],
    ["--b\nContent-Disposition: form-data; name=a\n\nx", "the body ends before its last boundary"],
    ["--b\nContent-Disposition: form-data; name=a\n\nx\n--b", "the body ends before"],
    ["--bx\n\nx\n--b--", "a boundary is followed by more than blanks"],
    ["--b\nno header\n\nx\n--b--", 'a header is none: "no header"'],
    ["--b\na b: c\n\nx\n--b--", "a header is none"],
    ["--b\nx: a\0b\n\nx\n--b--", "a header is none"],
    ['--b\nContent-Disposition: form-data; name="a\n\nx\n--b--', "a content-disposition is none"],
    ['--b\nContent-Disposition: form-data; name="a"b\n\nx\n--b--', "a content-disposition is none"],
    ["--b\nContent-Disposition: a; name=a; name=b\n\nx\n--b--", "a content-disposition is none"],
    ["--b\n\nx\n--b--junk", "the last boundary is followed by more than blanks"],
    ["--b\n\nx--b--\n", "the body ends before its last boundary"],
    ['--b\nContent-Disposition: form-data; name="a\0b"\n\nx\n--b--', ""],
    ["--b\n x: y\n\nx\n--b--", ""],
    ["--b\nx \t: y\n\nx\n--b--", ""],
  ];
  for (const [text, message] of wrong) {
    for (const chunks of text === "" ? [[]] : cutsOf(bytesOf(text))) {
      await assertRejects(
        () => readForm(chunks, { boundary }),
        SyntaxError,
        `Cannot parse multipart: ${message}`,
      );
    }
  }
  for (const bare of ["\n", "\r"]) {
    const head = `--b\r\nContent-Disposition: form-data; name="a${bare}b"\r\n\r\nx\r\n--b--`;
    await assertRejects(() => readForm([encoder.encode(head)], { boundary }), SyntaxError, "none");
  }
  const reasons: unknown[] = [];
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytesOf("--b\n\nx\n--b\nno header\n\n")),
    cancel: (reason) => void reasons.push(reason),
  });
  const failed = await toArray(parseMultipart(source, { boundary })).catch((error) => error);
  assert(failed instanceof SyntaxError);
  assert(reasons[0] === failed);
});

test("a failure of the source reaches the part and the stream, by identity", async () => {
  const reason = { no: "error" };
  let pulls = 0;
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (++pulls > 1) controller.error(reason);
      else controller.enqueue(bytesOf("--b\n\nsome"));
    },
  }, { highWaterMark: 0 });
  const reader = parseMultipart(source, { boundary }).getReader();
  const { value } = await reader.read();
  const body = value!.body.getReader();
  assertEquals((await body.read()).value, encoder.encode("some"));
  assert(await body.read().catch((error) => error) === reason);
  assert(await reader.read().catch((error) => error) === reason);
});

test("limits hold before the bytes are gathered", async () => {
  const over = (text: string, limits: ParseMultipartOptions, message: string) =>
    assertRejects(() => readForm([bytesOf(text)], { boundary, ...limits }), RangeError, message);
  const two = "--b\n\nxxx\n--b\n\ny\n--b--\n";
  assertEquals(
    (await readForm([bytesOf(two)], { boundary, maxParts: 2, maxPartBytes: 3 })).length,
    2,
  );
  await over(two, { maxParts: 1 }, "more than maxParts 1");
  await over(two, { maxPartBytes: 2 }, "part 1 has more than maxPartBytes 2");
  const [field, file] = ["name=a", "name=b; filename=c"].map((name) =>
    `--b\nContent-Disposition: form-data; ${name}\n\nxxx\n`
  ) as [string, string];
  const kinds = { maxFields: 2, maxFiles: 1, maxFieldBytes: 3, maxFileBytes: 3 };
  const mixed = `${field}${file}${field}--b--`;
  assertEquals((await readForm([bytesOf(mixed)], { boundary, ...kinds })).length, 3);
  await over(mixed, { ...kinds, maxFields: 1 }, "more than maxFields 1");
  await over(mixed + file, { maxFieldBytes: 2 }, "part 1 has more than maxFieldBytes 2");
  await over(mixed, { maxFileBytes: 2 }, "part 2 has more than maxFileBytes 2");
  await over(file + mixed, { maxFiles: 1 }, "more than maxFiles 1");
  await over(mixed, { maxFiles: 0 }, "more than maxFiles 0");
  await over(mixed, { maxFields: 0 }, "more than maxFields 0");
  await over(mixed, { maxFileBytes: 2, maxPartBytes: 1 }, "part 1 has more than maxPartBytes 1");
  await over(two, { maxTotalBytes: 20 }, "more than maxTotalBytes 20");
  const long = `--b\nx: ${"y".repeat(100)}\n\nx\n--b--`;
  await over(
    long,
    { maxHeaderBytes: 50 },
    "the headers of a part have more than maxHeaderBytes 50",
  );
  await over(`--b\n${"x: y\n".repeat(20)}`, { maxHeaderBytes: 50 }, "the headers of a part");
  await over(`--b${" ".repeat(60)}`, { maxHeaderBytes: 50 }, "the headers of a part");
  await over(`${"x".repeat(60)}\n${two}`, { maxHeaderBytes: 50 }, "outside of parts");
  await over(`${two}${"x".repeat(60)}`, { maxHeaderBytes: 50 }, "outside of parts");
  assertEquals((await readForm([bytesOf("--b\nx: y\n\n--b\n\n--b--")], { boundary })).length, 2);
  assertEquals((await readForm([bytesOf(`hello\n${two}bye`)], { boundary })).length, 2);
});

test("a part that is not read is skipped or refused, one that is cancelled never", async () => {
  const form = bytesOf("--b\nx-n: 1\n\none\n--b\nx-n: 2\n\ntwo\n--b\nx-n: 3\n\nthree\n--b--");
  for (const chunks of [[form], ...cutsOf(form)].slice(0, 60)) {
    const reader = parseMultipart(chunks, { boundary }).getReader();
    const first = (await reader.read()).value!;
    const second = (await reader.read()).value!;
    assertEquals(second.headers.get("x-n"), "2");
    await assertRejects(() => toText(first.body), TypeError, "before its body had been read");
    await second.body.cancel();
    const third = (await reader.read()).value!;
    assertEquals(await toText(third.body), "three");
    assertEquals((await reader.read()).done, true);
  }
  const strict = parseMultipart([form], { boundary, unread: "refuse" }).getReader();
  const first = (await strict.read()).value!;
  await first.body.cancel();
  await strict.read();
  await assertRejects(() => strict.read(), TypeError, "before its body had been read");
});

test("nothing is read that was not asked for, and a cancel reaches the source", async () => {
  let pulls = 0;
  const reasons: unknown[] = [];
  const chunks = ["--b\n\n", "1", "2", "\n--b\n\n", "3", "4"].map(bytesOf);
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(chunks[pulls++]!),
    cancel: (reason) => void reasons.push(reason),
  }, { highWaterMark: 0 });
  const reader = parseMultipart(source, { boundary }).getReader();
  assertEquals(pulls, 0);
  const { value } = await reader.read();
  await turns(2);
  assertEquals(pulls, 1);
  const body = value!.body.getReader();
  await body.read();
  await turns(2);
  assertEquals(pulls, 2);
  await body.read();
  const next = reader.read();
  // Asked for at the same time, it ends or is skipped.
  const isOver = await body.read().then(({ done }) => done, (error) => error instanceof TypeError);
  assertEquals(isOver, true);
  const second = (await next).value!;
  assertEquals(pulls, 4);
  const late = second.body.getReader();
  await reader.cancel("enough");
  assertEquals(await late.read().catch((reason) => reason), "enough");
  assertEquals(reasons, ["enough"]);
});

test("a body waits for the read before it, and what is given shares no memory", async () => {
  const chunk = bytesOf("--b\n\nabc\ndef\n--b--");
  const found: Uint8Array[] = [];
  await pipeline(parseMultipart([chunk], { boundary }), async ({ body }) => {
    for await (const bytes of body) found.push(bytes);
  });
  assertEquals(
    new TextDecoder().decode(Uint8Array.from(found.flatMap((part) => [...part]))),
    "abc\r\ndef",
  );
  for (const bytes of found) assert(bytes.buffer !== chunk.buffer);
});

test("an upload flows: a body of 16 MiB holds no more than a chunk", async () => {
  const chunk = new Uint8Array(65_536).fill(13);
  let given = 0;
  let taken = 0;
  let most = 0;
  function* source() {
    yield bytesOf("--b\nContent-Disposition: form-data; name=a; filename=b\n\n");
    for (let count = 0; count < 256; count++) {
      given += chunk.length;
      most = Math.max(most, given - taken);
      yield chunk;
    }
    yield bytesOf("\n--b--");
  }
  await pipeline(parseMultipart(source(), { boundary }), async ({ body }) => {
    for await (const bytes of body) taken += bytes.length;
  });
  assertEquals(taken, 256 * 65_536);
  assert(most <= 65_537, `${most}`);
});

test("wrong arguments are refused", () => {
  const create = (source: unknown, options?: unknown) => () =>
    void parseMultipart(source as Uint8Array[], options as ParseMultipartOptions);
  assertThrows(create([]), TypeError, "without a request, boundary must be given");
  assertThrows(create(5, { boundary }), TypeError, "source must be a ReadableStream");
  assertThrows(create(new Response("x")), TypeError, "must have a multipart type with a boundary");
  const typed = (type: string) => new Response("x", { headers: { "content-type": type } });
  assertThrows(create(typed("multipart/form-data")), TypeError, "with a boundary, got");
  assertThrows(create(typed("text/plain; boundary=b")), TypeError, "must have a multipart type");
  create(typed('Multipart/Mixed; Boundary="b c"'))();
  for (const wrong of ["", "x ", "a\r\nb", "x".repeat(71), "ü"]) {
    assertThrows(create([], { boundary: wrong }), RangeError, "boundary must be 1 to 70");
  }
  assertThrows(create([], { boundary: 5 }), TypeError, "boundary must be a string");
  assertThrows(create([], { boundary, limits: {} }), TypeError, 'unknown option "limits"');
  assertThrows(create([], { boundary, unread: "no" }), RangeError, "unread must be");
  for (const name of ["maxParts", "maxHeaderBytes", "maxPartBytes", "maxTotalBytes"]) {
    assertThrows(create([], { boundary, [name]: 0 }), RangeError, `${name} must be a positive`);
  }
});

/** What follows the first boundary of a form, and what its parts are: as the web platform tests have it, or with why not. */
const forms: readonly (readonly [string, ...(readonly [string?, string?, string?])[]])[] = [
  [
    " \t\nContent-Disposition: form-data; name=a\n\n1\n--b \t\nx: y\n\n2\n--b-- \t\n",
    ["a", , "1"],
    [, , "2"],
  ],
  ["\nContent-Disposition: form-data; name=a\n\n1\n--b--  ", ["a", , "1"]],
  ["\nContent-Disposition: form-data; name=a\n\n1\n--b--\nepilogue\nmore", ["a", , "1"]],
  ["\nContent-Disposition: form-data; name=a\n\nmy b--b\n--b--\n", ["a", , "my b--b"]],
  ['\nCONTENT-dISPOSITION: form-data; name=a; filename=""\nX: y\n\n\n--b--\n', ["a", "", ""]],
  ['\nContent-Disposition: form-data; name="%25\x01\x7f"\n\n1\n--b--\n', ["%25\x01\x7f", , "1"]],
  // RFC 2046 and RFC 7578 have these, and `FormData` cannot show them.
  ["\n\n1\n--b--\n", [, , "1"]],
  ["\nContent-Disposition: form-data;\n name=a\n\n1\n--b--\n", ["a", , "1"]],
];

test("a form is read as the web platform tests have it, wherever it is cut", async () => {
  for (const [text, ...parts] of forms) {
    for (
      const chunks of [...cutsOf(bytesOf(`--b${text}`)), ...cutsOf(bytesOf(`hello\n--b${text}`))]
    ) {
      const found = await readForm(chunks, { boundary });
      assertEquals(
        found.map(({ name, filename, bytes }) => [name, filename, String.fromCharCode(...bytes)]),
        parts.map(([name, filename, body]) => [name, filename, body]),
        text,
      );
    }
  }
});

test("bytes that are no UTF-8 are replaced in a name, and left in a file", async () => {
  const [start, end] = ['--b\nContent-Disposition: form-data; name="a', "\n--b--\n"].map(bytesOf);
  const held = [0, 0x80, 0xff, 0x0d, 0x0a, 0x2d, 0x2d];
  const whole = concat([
    ...[start!, Uint8Array.of(0xff), bytesOf('"; filename="f"\n\n')],
    ...[Uint8Array.from(held), end!],
  ]);
  for (const chunks of cutsOf(whole)) {
    const [part] = await readForm(chunks, { boundary });
    assertEquals([part!.name, part!.bytes], ["a\ufffd", held]);
  }
});
