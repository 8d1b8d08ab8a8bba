import type { Buffer } from "node:buffer";
import { bigBytes, hasLinks, modifiedSeconds } from "./fixture.ts";
import { requestText } from "./raw_request.ts";

/** One line of the table: a request, and what must come of it. */
export interface HttpCase {
  readonly name: string;
  /** The request as it goes over the wire. */
  readonly text: string;
  readonly method: string;
  /** `refused`: an error status of the server's own, or a closed connection. */
  readonly status: number | "refused";
  readonly body?: string | Buffer;
  /** What headers must be; `undefined` means absent. */
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>;
  /** Where `Bun.serve` shows us a normalized URL, an inner `..` has already been resolved. */
  readonly statusIfNormalized?: number;
  /** `Deno.serve` lets it through. */
  readonly statusInDenoServe?: number;
}

type Rest = Omit<HttpCase, "name" | "text" | "method" | "status">;

const lastModified = new Date(modifiedSeconds * 1000).toUTCString();
const dateAt = (offset: number) => new Date((modifiedSeconds + offset) * 1000).toUTCString();
const hello = "hello world\n";

/** The table, for a server whose `/hello.txt` and `/big.bin` have these strong tags. */
export function httpCases(tag: string, bigTag: string): HttpCase[] {
  const all: HttpCase[] = [];
  const add = (
    name: string,
    method: string,
    text: string,
    status: HttpCase["status"],
    rest?: Rest,
  ) => all.push({ name, method, text, status, ...rest });
  const send = (
    target: string,
    headers: Record<string, string>,
    status: HttpCase["status"],
    rest?: Rest,
    method = "GET",
  ) =>
    add(
      `${method} ${target} ${JSON.stringify(headers)}`,
      method,
      requestText(target, headers, method),
      status,
      rest,
    );
  const missing = (target: string, rest?: Rest) =>
    send(target, {}, 404, { body: "Not Found\n", ...rest });
  const range = (value: string, body: string | undefined, contentRange?: string) =>
    body === undefined
      ? send("/hello.txt", { Range: value }, 416, { headers: { "content-range": "bytes */12" } })
      : contentRange === undefined
      ? send("/hello.txt", { Range: value }, 200, {
        body: hello,
        headers: { "content-range": undefined },
      })
      : send("/hello.txt", { Range: value }, 206, {
        body,
        headers: {
          "content-range": `bytes ${contentRange}/12`,
          "content-length": String(body.length),
          "content-type": "text/plain; charset=utf-8",
          "etag": tag,
        },
      });
  const conditional = (headers: Record<string, string>, status: 200 | 206 | 304 | 412 | 416) =>
    send("/hello.txt", headers, status, {
      ...(status === 304
        ? {
          body: "",
          headers: { "etag": tag, "last-modified": lastModified, "content-type": undefined },
        }
        : {}),
      ...(status === 200 ? { body: hello, headers: { "content-range": undefined } } : {}),
      ...(status === 206 ? { body: hello.slice(0, 5) } : {}),
    });

  // Whole files, and what is said about them.
  send("/hello.txt", {}, 200, {
    body: hello,
    headers: {
      "content-length": "12",
      "content-type": "text/plain; charset=utf-8",
      "etag": tag,
      "last-modified": lastModified,
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      "date": /GMT$/,
    },
  });
  send("/page.html", {}, 200, { headers: { "content-type": "text/html; charset=utf-8" } });
  send("/data.json", {}, 200, { headers: { "content-type": "application/json" } });
  send("/unknown.zzz", {}, 200, { headers: { "content-type": "application/octet-stream" } });
  send("/no-extension", {}, 200, { headers: { "content-type": "application/octet-stream" } });
  send("/empty.bin", {}, 200, { body: "", headers: { "content-length": "0" } });
  send("/big.bin", {}, 200, { body: bigBytes, headers: { etag: bigTag } });
  send("/sub/inner.txt", {}, 200, { body: "inner\n" });
  send("/name%20with%20space.txt", {}, 200, { body: "space\n" });
  send("/100%25.txt", {}, 200, { body: "percent\n" });
  send("/%252e%252e", {}, 200, { body: "dots by name\n" });
  send("/%C3%BCn%C3%AF.txt", {}, 200, { body: "unicode\n" });
  send("/.well-known/security.txt", {}, 200, { body: "well known\n" });
  send("/%68ello.txt", {}, 200, { body: hello });
  send("/hello.txt?x=../../secret.txt", {}, 200, { body: hello });
  send("http://elsewhere.example/hello.txt", {}, 200, { body: hello });
  add("HTTP/1.0 without a host", "GET", "GET /hello.txt HTTP/1.0\r\n\r\n", 200, { body: hello });

  // HEAD says the same, and nothing more.
  send(
    "/hello.txt",
    {},
    200,
    { body: "", headers: { "content-length": "12", "etag": tag } },
    "HEAD",
  );
  send(
    "/big.bin",
    {},
    200,
    { body: "", headers: { "content-length": String(bigBytes.length) } },
    "HEAD",
  );
  send("/nowhere", {}, 404, { body: "" }, "HEAD");
  send("/hello.txt", { Range: "bytes=0-4" }, 200, {
    body: "",
    headers: { "content-length": "12", "content-range": undefined },
  }, "HEAD");
  send("/hello.txt", { "If-None-Match": tag }, 304, { body: "" }, "HEAD");

  // Nothing but GET and HEAD.
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
    send("/hello.txt", { "Content-Length": "0" }, 405, { headers: { allow: "GET, HEAD" } }, method);
  }
  send("/nowhere", { "Content-Length": "0" }, 405, { headers: { allow: "GET, HEAD" } }, "POST");

  // One range.
  range("bytes=0-4", "hello", "0-4");
  range("bytes=6-", "world\n", "6-11");
  range("bytes=-6", "world\n", "6-11");
  range("bytes=-600", hello, "0-11");
  range("bytes=0-0", "h", "0-0");
  range("bytes=11-11", "\n", "11-11");
  range("bytes=0-99999999999999999999999", hello, "0-11");
  range(`bytes=-${"9".repeat(400)}`, hello, "0-11");
  range("BYTES=0-4", "hello", "0-4");
  range("bytes=, 0-4 ,", "hello", "0-4");
  range("bytes=00-04", "hello", "0-4");
  send("/big.bin", { Range: "bytes=65535-131073" }, 206, {
    body: bigBytes.subarray(65535, 131074),
  });
  send("/big.bin", { Range: "bytes=-100000" }, 206, { body: bigBytes.subarray(-100000) });
  // None that can be satisfied.
  range("bytes=12-", undefined);
  range("bytes=12-20", undefined);
  range("bytes=99999999999999999999999-", undefined);
  range("bytes=-0", undefined);
  send("/empty.bin", { Range: "bytes=1-" }, 416, { headers: { "content-range": "bytes */0" } });
  send("/empty.bin", { Range: "bytes=0-" }, 200, { body: "", headers: { "content-length": "0" } });
  send("/empty.bin", { Range: "bytes=-5" }, 200, { body: "" });
  // None that is one: as if it were not there.
  for (
    const odd of ["bytes=5-4", "bytes=a-b", "bytes=", "bytes=-", "bytes", "bytes 0-4", "items=0-4"]
      .concat(["bytes=0-4-5", "bytes=0x0-4", "bytes=--5", "bytes=+1-2", "bytes=1.0-2"])
      .concat(["bytes=0-1,2-x", "bytes=1 -2", "bytes=9007199254740993-9007199254740992"])
  ) {
    range(odd, hello);
  }
  // Several: those that overlap or touch are one, and more than 16 are none.
  range("bytes=0-1,2-4", "hello", "0-4");
  range("bytes=6-,0-5", hello, "0-11");
  range("bytes=0-4, 50-", "hello", "0-4");
  range("bytes=50-60,70-80", undefined);
  range("bytes=0-1,4-3", hello);
  range(`bytes=${"0-0,".repeat(16)}`, "h", "0-0");
  range(`bytes=${"0-0,".repeat(17)}`, hello);
  send("/hello.txt", { Range: "bytes=0-1, -2", "If-Range": tag }, 206, {
    headers: { "content-type": /^multipart\/byteranges; boundary=[\w-]{36}$/, "etag": tag },
  });
  send("/hello.txt", { Range: "bytes=0-1, -2", "If-Range": '"other"' }, 200, { body: hello });
  send("/hello.txt", { Range: "bytes=0-1, -2" }, 200, { body: "" }, "HEAD");

  // Conditions.
  conditional({ "If-None-Match": tag }, 304);
  conditional({ "If-None-Match": `W/${tag}` }, 304);
  conditional({ "If-None-Match": `"other", ${tag}` }, 304);
  conditional({ "If-None-Match": "*" }, 304);
  conditional({ "If-None-Match": '"other"' }, 200);
  conditional({ "If-None-Match": tag.slice(1, -1) }, 200);
  conditional({ "If-Modified-Since": lastModified }, 304);
  conditional({ "If-Modified-Since": dateAt(1) }, 304);
  conditional({ "If-Modified-Since": dateAt(-1) }, 200);
  conditional({ "If-Modified-Since": "Thursday, 29-Feb-24 12:34:56 GMT" }, 304);
  conditional({ "If-Modified-Since": "Thu Feb 29 12:34:56 2024" }, 304);
  conditional({ "If-Modified-Since": "yesterday" }, 200);
  conditional({ "If-Modified-Since": "2024-02-29T12:34:56Z" }, 200);
  conditional({ "If-None-Match": '"other"', "If-Modified-Since": lastModified }, 200);
  conditional({ "If-None-Match": tag, "If-Modified-Since": dateAt(-1) }, 304);
  conditional({ "If-None-Match": tag, "Range": "bytes=0-4" }, 304);
  conditional({ "If-None-Match": tag, "Range": "bytes=50-" }, 304);
  conditional({ "If-Modified-Since": lastModified, "Range": "bytes=0-4" }, 304);
  conditional({ "If-None-Match": '"other"', "Range": "bytes=0-4" }, 206);
  conditional({ "If-Match": tag }, 200);
  conditional({ "If-Match": '"other"' }, 412);
  conditional({ "If-Match": `W/${tag}` }, 412);
  conditional({ "If-Match": "*", "If-None-Match": tag }, 304);
  conditional({ "If-Unmodified-Since": lastModified }, 200);
  conditional({ "If-Unmodified-Since": dateAt(-1) }, 412);
  conditional({ "If-Range": tag, "Range": "bytes=0-4" }, 206);
  conditional({ "If-Range": `W/${tag}`, "Range": "bytes=0-4" }, 200);
  conditional({ "If-Range": '"other"', "Range": "bytes=0-4" }, 200);
  conditional({ "If-Range": '"other"', "Range": "bytes=50-" }, 200);
  conditional({ "If-Range": lastModified, "Range": "bytes=0-4" }, 206);
  conditional({ "If-Range": dateAt(1), "Range": "bytes=0-4" }, 200);
  conditional({ "If-Range": dateAt(-1), "Range": "bytes=0-4" }, 200);
  conditional({ "If-Range": "nonsense", "Range": "bytes=0-4" }, 200);
  conditional({ "If-Range": tag, "Range": "bytes=50-" }, 416);
  conditional({ "If-Range": tag }, 200);

  // Ways out of the root, and what is no file.
  for (
    const target of ["/", "/sub", "/sub/", "/nowhere", "/hello.txt/", "/hello.txt/inner"]
      .concat(["/../secret.txt", "/../../../../../../etc/passwd", "/..", "/sub/../../secret.txt"])
      .concat([
        "/%2e%2e/secret.txt",
        "/%2E%2E%2fsecret.txt",
        "/..%2fsecret.txt",
        "/sub%2finner.txt",
      ])
      .concat(["/%252e%252e/secret.txt", "/%252e%252e%252fsecret.txt", "/.%2e/secret.txt"])
      .concat(["/..\\secret.txt", "/..%5csecret.txt", "/%2e%2e%5csecret.txt", "/sub%5cinner.txt"])
      .concat(["/hello.txt%00", "/%00", "/hello.txt%00.html", "//etc/passwd", "/%2fetc%2fpasswd"])
      .concat([
        "//hello.txt",
        "/%zz",
        "/%",
        "/%ff",
        "/%c0%ae%c0%ae/secret.txt",
        "/../root-evil/secret.txt",
      ])
      .concat([`/${"a".repeat(300)}`, "/C:%5cWindows%5cwin.ini", "/file:%2f%2f%2fetc%2fpasswd"])
  ) {
    missing(target);
  }
  for (
    const target of ["/..dots.txt", "/.env", "/%2eenv", "/.git/config", "/sub/.hidden", "/.git/"]
      .concat(["/.well-known/.secret", "/sub/.well-known/inner.txt", "/.%67it/config", "/.git"])
  ) {
    missing(target);
  }
  missing("/sub/../hello.txt", { body: undefined, statusIfNormalized: 200 });
  missing("/./hello.txt", { body: undefined, statusIfNormalized: 200 });
  missing("/sub\\inner.txt", { body: undefined, statusIfNormalized: 200 });
  if (hasLinks) {
    send("/link-inside.txt", {}, 200, { body: hello });
    send("/link-sub/inner.txt", {}, 200, { body: "inner\n" });
    send("/link-self/hello.txt", {}, 200, { body: hello });
    send("/link-known/security.txt", {}, 200, { body: "well known\n" });
    for (
      const target of ["/link-outside.txt", "/link-evil.txt", "/link-folder/secret.txt"]
        .concat(["/link-twice", "/link-dangling", "/link-loop", "/link-self", "/pipe"])
        .concat(["/link-hidden", "/link-git/config", "/link-known/.secret"])
    ) {
      missing(target);
    }
  }

  // What is no request.
  const headers = "Host: localhost\r\nConnection: close\r\n";
  const raw = (name: string, text: string, rest?: Rest) => add(name, "GET", text, "refused", rest);
  raw("no HTTP at all", "\x16\x03\x01 what is this?\r\n\r\n");
  raw("a version nobody speaks", `GET /hello.txt HTTP/9.9\r\n${headers}\r\n`);
  raw("no target", `GET\r\n${headers}\r\n`);
  raw("a NUL in the target", `GET /hello.txt\0 HTTP/1.1\r\n${headers}\r\n`);
  raw("a space in a header's name", `GET /hello.txt HTTP/1.1\r\n${headers}Bad Name: x\r\n\r\n`);
  raw("a NUL in a header", `GET /hello.txt HTTP/1.1\r\n${headers}X: a\0b\r\n\r\n`);
  raw(
    "two lengths",
    `POST /hello.txt HTTP/1.1\r\n${headers}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  );
  raw(
    "a length and chunks",
    `POST /hello.txt HTTP/1.1\r\n${headers}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  );
  raw("a request line of 100 kB", `GET /${"a".repeat(100_000)} HTTP/1.1\r\n${headers}\r\n`);
  raw(
    "a header of 100 kB",
    `GET /hello.txt HTTP/1.1\r\n${headers}X: ${"a".repeat(100_000)}\r\n\r\n`,
  );
  raw("20,000 headers", `GET /hello.txt HTTP/1.1\r\n${headers}${"X: a\r\n".repeat(20_000)}\r\n`);
  raw("no host", "GET /hello.txt HTTP/1.1\r\nConnection: close\r\n\r\n", {
    statusInDenoServe: 200,
  });
  return all;
}
