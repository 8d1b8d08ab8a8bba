// Over 200 lines: one table.
import type { Answer, Question } from "./ask.ts";
import { lastModified, modifiedSeconds } from "./sample_site.ts";

/** What a file server can do, and how to find out. */
export interface Feature {
  readonly name: string;
  /** Under which heading of the table it stands. */
  readonly group: string;
  /** A server may be asked for tags of its own first. */
  readonly ask: (tags: Tags) => Question;
  readonly has: (answer: Answer, tags: Tags) => boolean;
  /** The server that is set up for an application of one page. */
  readonly ofSpa?: boolean;
}

/** The entity tags a server gives. */
export interface Tags {
  readonly plain: string;
  readonly encoded: string;
}

const hello = "hello world\n";
const dateAt = (offset: number) => new Date((modifiedSeconds + offset) * 1000).toUTCString();
const opaque = (tag: string) => tag.replace(/^W\//, "");

const features: Feature[] = [];
let group = "";
const add = (
  name: string,
  question: Question | ((tags: Tags) => Question),
  has: Feature["has"],
  more: Pick<Feature, "ofSpa"> = {},
) =>
  features.push({
    name,
    group,
    ask: (tags) => typeof question === "function" ? question(tags) : question,
    has,
    ...more,
  });
const get = (target: string, headers: Record<string, string> = {}) => ({ target, headers });
const ranged = (range: string, more: Record<string, string> = {}) =>
  get("/hello.txt", { range, ...more });
const is206 = (body: string) => (answer: Answer) => answer.status === 206 && answer.body === body;
const isWhole = (answer: Answer) => answer.status === 200 && answer.body === hello;
const is = (status: number) => (answer: Answer) => answer.status === status;
const isAbsent = ({ status, body, headers }: Answer) =>
  status >= 400 && !body.includes("SECRET") && headers.location === undefined;

group = "Files";
add(
  "length, type, ETag and Last-Modified",
  get("/hello.txt"),
  ({ headers }) =>
    headers["content-length"] === "12" && /^text\/plain/.test(headers["content-type"] ?? "") &&
    headers.etag !== undefined && headers["last-modified"] === lastModified,
);
add(
  "text is said to be UTF-8",
  get("/hello.txt"),
  ({ headers }) => /charset=utf-8/i.test(headers["content-type"] ?? ""),
);
add(
  "X-Content-Type-Options: nosniff",
  get("/hello.txt"),
  ({ headers }) => headers["x-content-type-options"] === "nosniff",
);
add(
  "Cache-Control as it is set",
  get("/hello.txt"),
  ({ headers }) => /max-age=60/.test(headers["cache-control"] ?? ""),
);
add(
  "names in UTF-8",
  get("/%C3%BCn%C3%AF.txt"),
  ({ status, body }) => status === 200 && body === "unicode\n",
);
add(
  "names with a percent sign",
  get("/100%25.txt"),
  ({ status, body }) => status === 200 && body === "percent\n",
);
add(
  "an empty file",
  get("/empty.bin"),
  ({ status, headers }) => status === 200 && headers["content-length"] === "0",
);
add(
  "HEAD: the headers of GET",
  { target: "/hello.txt", method: "HEAD" },
  ({ status, headers, body }) =>
    status === 200 && headers["content-length"] === "12" && body === "",
);
add(
  "POST: 405",
  { target: "/hello.txt", method: "POST", headers: { "content-length": "0" } },
  is(405),
);
add(
  "405 with Allow",
  { target: "/hello.txt", method: "PUT", headers: { "content-length": "0" } },
  ({ status, headers }) => status === 405 && headers.allow !== undefined,
);

group = "Ranges";
add("Accept-Ranges", get("/hello.txt"), ({ headers }) => headers["accept-ranges"] === "bytes");
add("`bytes=0-4`", ranged("bytes=0-4"), is206("hello"));
add("`bytes=6-`", ranged("bytes=6-"), is206("world\n"));
add("`bytes=-6`", ranged("bytes=-6"), is206("world\n"));
add("a suffix longer than the file", ranged("bytes=-600"), is206(hello));
add("an end beyond the file's", ranged("bytes=6-99999999999999999999999"), is206("world\n"));
add("`BYTES=0-4`", ranged("BYTES=0-4"), is206("hello"));
add(
  "outside: 416 with Content-Range",
  ranged("bytes=12-"),
  ({ status, headers }) => status === 416 && headers["content-range"] === "bytes */12",
);
add("malformed: as if there were none", ranged("bytes=a-b"), isWhole);
add("backwards: as if there were none", ranged("bytes=5-4"), isWhole);
add("another unit: as if there were none", ranged("items=0-4"), isWhole);
add("HEAD takes no range", {
  target: "/hello.txt",
  method: "HEAD",
  headers: { range: "bytes=0-4" },
}, ({ status, headers }) => status === 200 && headers["content-length"] === "12");
add("`bytes=0-` of an empty file: 200", get("/empty.bin", { range: "bytes=0-" }), is(200));
add(
  "If-Range with the tag",
  ({ plain }) => ranged("bytes=0-4", { "if-range": plain }),
  is206("hello"),
);
add("If-Range with another tag", ranged("bytes=0-4", { "if-range": '"other"' }), isWhole);
add(
  "If-Range with a weak tag: whole",
  ({ plain }) => ranged("bytes=0-4", { "if-range": `W/${opaque(plain)}` }),
  isWhole,
);
add("If-Range with the date", ranged("bytes=0-4", { "if-range": lastModified }), is206("hello"));
add("If-Range with an older date", ranged("bytes=0-4", { "if-range": dateAt(-60) }), isWhole);
add(
  "several ranges in one answer",
  ranged("bytes=0-1,3-4"),
  ({ status, headers }) =>
    status === 206 && /^multipart\/byteranges/.test(headers["content-type"] ?? ""),
);
add("ranges that overlap are joined", ranged("bytes=0-3,2-4"), is206("hello"));

group = "Conditions";
add("If-None-Match: 304", ({ plain }) => get("/hello.txt", { "if-none-match": plain }), is(304));
add(
  "… as a weak tag",
  ({ plain }) => get("/hello.txt", { "if-none-match": `W/${opaque(plain)}` }),
  is(304),
);
add(
  "… in a list",
  ({ plain }) => get("/hello.txt", { "if-none-match": `"other", ${plain}` }),
  is(304),
);
add("… `*`", get("/hello.txt", { "if-none-match": "*" }), is(304));
add(
  "… of HEAD",
  ({ plain }) => ({ target: "/hello.txt", method: "HEAD", headers: { "if-none-match": plain } }),
  is(304),
);
add(
  "304 carries ETag and Cache-Control",
  ({ plain }) => get("/hello.txt", { "if-none-match": plain }),
  ({ status, headers }) =>
    status === 304 && headers.etag !== undefined && headers["cache-control"] !== undefined,
);
add("If-Modified-Since: 304", get("/hello.txt", { "if-modified-since": lastModified }), is(304));
add("… later", get("/hello.txt", { "if-modified-since": dateAt(60) }), is(304));
add("… earlier: whole", get("/hello.txt", { "if-modified-since": dateAt(-60) }), isWhole);
add(
  "… as RFC 850 has dates",
  get("/hello.txt", { "if-modified-since": "Thursday, 29-Feb-24 12:34:56 GMT" }),
  is(304),
);
add(
  "a tag goes before a date",
  get("/hello.txt", { "if-none-match": '"other"', "if-modified-since": lastModified }),
  isWhole,
);
add("If-Match: 412", get("/hello.txt", { "if-match": '"other"' }), is(412));
add("If-Match with the tag", ({ plain }) => get("/hello.txt", { "if-match": plain }), isWhole);
add("If-Unmodified-Since: 412", get("/hello.txt", { "if-unmodified-since": dateAt(-60) }), is(412));
add(
  "a condition goes before a range",
  ({ plain }) => ranged("bytes=0-4", { "if-none-match": plain }),
  is(304),
);

group = "Folders";
add(
  "`/` is its index",
  get("/"),
  ({ status, body }) => status === 200 && body.includes("index page"),
);
add(
  "a folder without its slash: redirect",
  get("/sub"),
  ({ status, headers }) =>
    [301, 302, 307, 308].includes(status) && /sub\/$/.test(headers.location ?? ""),
);
add(
  "… keeps the query",
  get("/sub?a=b"),
  ({ status, headers }) => status < 400 && /sub\/\?a=b$/.test(headers.location ?? ""),
);
add(
  "… stays on the host",
  get("//evil.example/%2e%2e/sub"),
  ({ headers }) => !/^(?:https?:)?\/\/(?!127\.0\.0\.1|localhost)/.test(headers.location ?? ""),
);
add(
  "a list of a folder without an index",
  get("/list/"),
  ({ status, body }) => status === 200 && body.includes("one.txt"),
);
add(
  "a page for any path of an application",
  get("/users/17", { accept: "text/html" }),
  ({ status, body }) => status === 200 && body.includes("index page"),
  { ofSpa: true },
);
add("… but not for a missing file", get("/assets/missing.js", { accept: "*/*" }), is(404), {
  ofSpa: true,
});

const accepting = (coding: string, more: Record<string, string> = {}) =>
  get("/app.js", { "accept-encoding": coding, ...more });
const isPlain = ({ headers, body }: Answer) =>
  headers["content-encoding"] === undefined && body.startsWith("plain");
group = "Encoded files";
add(
  "`.br` beside the file",
  accepting("gzip, br"),
  ({ headers, body }) => headers["content-encoding"] === "br" && body === "in br\n",
);
add("`.gz`", accepting("gzip"), ({ headers }) => headers["content-encoding"] === "gzip");
add("`.zst`", accepting("zstd"), ({ headers }) => headers["content-encoding"] === "zstd");
add(
  "the type of the file itself",
  accepting("gzip"),
  ({ headers }) =>
    headers["content-encoding"] !== undefined && /javascript/.test(headers["content-type"] ?? ""),
);
add("`q=0` is a refusal", accepting("gzip;q=0, br;q=0, zstd;q=0"), isPlain);
add(
  "the client's order",
  accepting("br;q=0.5, gzip"),
  ({ headers }) => headers["content-encoding"] === "gzip",
);
add("Vary", accepting("gzip"), ({ headers }) => /accept-encoding/i.test(headers.vary ?? ""));
add(
  "Vary on the plain answer too",
  get("/app.js"),
  ({ headers }) => /accept-encoding/i.test(headers.vary ?? ""),
);
add(
  "a tag of its own",
  accepting("gzip"),
  ({ headers }, { plain, encoded }) =>
    headers["content-encoding"] !== undefined && encoded !== plain && headers.etag === encoded,
);
add(
  "a range of the encoded bytes",
  accepting("gzip", { range: "bytes=3-6" }),
  ({ status, headers, body }) =>
    status === 206 && headers["content-encoding"] === "gzip" && body === "gzip",
);

group = "What is not served";
add("`/.env`", get("/.env"), isAbsent);
add("`/.git/config`", get("/.git/config"), isAbsent);
add("`/.well-known/` is", get("/.well-known/security.txt"), is(200));
add("`..`", get("/../secret.txt"), isAbsent);
add("`..`, encoded", get("/%2e%2e/secret.txt"), isAbsent);
add("an encoded slash", get("/..%2fsecret.txt"), isAbsent);
add("a NUL", get("/hello.txt%00"), isAbsent);
add("bytes that are no UTF-8", get("/%ff"), ({ status }) => status === 404 || status === 400);
add("a link that stays inside is", get("/link-inside.txt"), isWhole);
add("a link that leads outside", get("/link-outside.txt"), isAbsent);
add("a link to a folder outside", get("/link-folder/secret.txt"), isAbsent);
add("a pipe", get("/pipe"), ({ status }) => status >= 400);

/** Every feature, in the order of the table. */
export const allFeatures: readonly Feature[] = features;
