import type { SharedOptions } from "./hosts.ts";

/** A request under certain options, and what must come of it. */
export interface OptionCase {
  readonly options: SharedOptions;
  readonly target: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly body?: string | RegExp;
  /** What headers must be; `undefined` means absent. */
  readonly answered?: Readonly<Record<string, string | RegExp | undefined>>;
}

const accepts = (coding: string) => ({ "accept-encoding": coding });
const encoded = { precompressed: true } as const;
const vary = "Accept-Encoding";
const html = "text/html; charset=utf-8";
const script = "text/javascript; charset=utf-8";
const page = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** The files that the cases ask for, besides those of the fixture; `.br` and the like are no real ones. */
export const optionFiles: Readonly<Record<string, string>> = {
  "app/index.html": "<!doctype html>app\n",
  "app/100%.html": "<!doctype html>percent\n",
  "app/a:b/index.html": "<!doctype html>colon\n",
  "app/list/<b>&\"'.txt": "odd name\n",
  "app/list/.hidden": "SECRET\n",
  "app/list/sub/x.txt": "x\n",
  "app/main.js": "plain script\n",
  "app/main.js.br": "script in br\n",
  "app/main.js.gz": "script in gzip\n",
  "app/only.css": "plain style\n",
  "app/only.css.zst": "style in zstd\n",
  "app/bare.js.gz": "nothing beside it\n",
};

/** What the options do, wherever the handler stands. */
export const optionCases: readonly OptionCase[] = [
  // A folder's index, and the slash that leads to it.
  { options: {}, target: "/app/", status: 200, body: /app/, answered: { "content-type": html } },
  { options: {}, target: "/app", status: 301, answered: { location: "./app/" } },
  { options: {}, target: "/app?a=b&c", status: 301, answered: { location: "./app/?a=b&c" } },
  { options: {}, target: "/app", method: "HEAD", status: 301, body: "" },
  { options: {}, target: "/app/a:b", status: 301, answered: { location: "./a%3Ab/" } },
  { options: {}, target: "/app/index.html", status: 200, body: /app/ },
  { options: {}, target: "/app/list/", status: 404 },
  { options: {}, target: "/app/list", status: 404, answered: { location: undefined } },
  { options: {}, target: "//app", status: 404, answered: { location: undefined } },
  { options: {}, target: "//evil.example/app", status: 404, answered: { location: undefined } },
  { options: {}, target: "/app/index.html/", status: 404 },
  { options: { index: false }, target: "/app/", status: 404 },
  { options: { index: false }, target: "/app", status: 404 },
  { options: { index: [] }, target: "/app/", status: 404 },
  { options: { index: "100%.html" }, target: "/app/", status: 200, body: /percent/ },
  {
    options: { index: ["none", "100%.html", "index.html"] },
    target: "/app/",
    status: 200,
    body: /percent/,
  },
  { options: { index: ["none", "100%.html"] }, target: "/app", status: 301 },
  { options: { index: ["list", "none"] }, target: "/app/", status: 404 },
  // What may be left out at the end.
  {
    options: { extensions: ["htm", "html"] },
    target: "/app/index",
    status: 200,
    answered: { "content-type": html },
  },
  { options: { extensions: ["js"] }, target: "/app/main?a=b", status: 200, body: "plain script\n" },
  {
    options: { extensions: ["js"], ...encoded },
    target: "/app/main",
    headers: accepts("br"),
    status: 200,
    body: "script in br\n",
    answered: { "content-type": script, "content-encoding": "br", vary },
  },
  { options: { extensions: ["html"] }, target: "/app/100%25", status: 200, body: /percent/ },
  { options: { extensions: ["js.br"] }, target: "/app/main", status: 200, body: "script in br\n" },
  { options: { extensions: ["html"] }, target: "/app/index/", status: 404 },
  { options: { extensions: ["html"] }, target: "/app/none", status: 404 },
  { options: { extensions: ["html"] }, target: "/app", status: 301 },
  { options: { extensions: ["env", "config"] }, target: "/.git/", status: 404 },
  { options: { extensions: ["nv"] }, target: "/.e", status: 404 },
  {
    options: { extensions: ["html"], spa: "app/index.html" },
    target: "/app/100%25",
    headers: page,
    status: 200,
    body: /percent/,
  },
  {
    options: { index: "main.js" },
    target: "/app/",
    status: 200,
    answered: { "content-type": script },
  },
  // Pages of an application that routes by itself.
  {
    options: { spa: "app/index.html" },
    target: "/users/17",
    headers: page,
    status: 200,
    body: /app/,
  },
  {
    options: { spa: "app/index.html" },
    target: "/users/",
    headers: page,
    status: 200,
    body: /app/,
  },
  { options: { spa: "app/index.html" }, target: "/users", method: "HEAD", status: 200, body: "" },
  { options: { spa: "app/index.html" }, target: "/logo.png", headers: page, status: 404 },
  { options: { spa: "app/index.html" }, target: "/.env", headers: page, status: 404 },
  { options: { spa: "app/index.html" }, target: "/%zz", headers: page, status: 404 },
  {
    options: { spa: "app/index.html" },
    target: "/api",
    headers: { accept: "application/json" },
    status: 404,
  },
  { options: { spa: "app/index.html" }, target: "/hello.txt", status: 200, body: "hello world\n" },
  { options: { spa: "app/missing.html" }, target: "/users", headers: page, status: 404 },
  { options: { spa: true }, target: "/users", headers: page, status: 404 },
  // Lists.
  {
    options: { listing: true },
    target: "/app/list/",
    status: 200,
    body: /<td><a href="\.\.?\/[^]*href="\.\/sub\/"[^]*&lt;b&gt;&amp;&quot;&#39;\.txt<\/a>/,
    answered: {
      "content-type": html,
      "cache-control": "no-cache",
      "etag": undefined,
      "x-content-type-options": "nosniff",
      "content-security-policy": /frame-ancestors 'none'/,
    },
  },
  { options: { listing: true }, target: "/app/list/", status: 200, body: /^(?![^]*hidden)/ },
  {
    options: { listing: true, dotfiles: "allow" },
    target: "/app/list/",
    status: 200,
    body: /hidden/,
  },
  {
    options: { listing: true },
    target: "/app/list",
    status: 301,
    answered: { location: "./list/" },
  },
  { options: { listing: true }, target: "/app/", status: 200, body: /^<!doctype html>app\n$/ },
  { options: { listing: true }, target: "/app/list/", method: "HEAD", status: 200, body: "" },
  { options: { listing: true }, target: "/.git/", status: 404 },
  { options: { listing: true }, target: "/link-folder/", status: 404 },
  { options: { listing: true }, target: "/link-git/", status: 404 },
  { options: { listing: true }, target: "/", status: 200, body: /^(?![^]*link-(?:git|hidden))/ },
  { options: { dotfiles: "allow" }, target: "/link-hidden", status: 200, body: "SECRET\n" },
  { options: { listing: true }, target: "/hello.txt/", status: 404 },
  { options: { listing: true }, target: "/", status: 200, body: /^(?![^]*outside)[^]*link-sub\// },
  // Names with a dot.
  { options: { dotfiles: "allow" }, target: "/.env", status: 200, body: "SECRET\n" },
  { options: { dotfiles: "allow" }, target: "/.git/config", status: 200, body: "SECRET\n" },
  { options: { dotfiles: "deny" }, target: "/.env", status: 404 },
  { options: { dotfiles: "deny" }, target: "/.well-known/security.txt", status: 200 },
  // Files that lie encoded beside others.
  {
    options: encoded,
    target: "/app/main.js",
    headers: accepts("gzip, deflate, br, zstd"),
    status: 200,
    body: "script in br\n",
    answered: {
      "content-encoding": "br",
      "content-length": "13",
      "content-type": script,
      "etag": /-br"$/,
      vary,
    },
  },
  {
    options: encoded,
    target: "/app/main.js",
    status: 200,
    body: "plain script\n",
    answered: { vary },
  },
  ...([
    ["gzip", "gzip"],
    ["br;q=0.5, gzip", "gzip"],
    ["br;q=0, gzip;q=0.1", "gzip"],
    ["*", "br"],
    ["*;q=0.5, br;q=0", "gzip"],
    ["BR", "br"],
    ["x-gzip", "gzip"],
    ["zstd", undefined],
    ["identity", undefined],
    ["identity;q=1, br;q=0.9", undefined],
    ["br;q=0", undefined],
    ["br;q=2", undefined],
    ["br;q=nonsense", undefined],
    ["", undefined],
    ["brotli", undefined],
  ] as const).map(([coding, chosen]): OptionCase => ({
    options: encoded,
    target: "/app/main.js",
    headers: accepts(coding),
    status: 200,
    body: chosen === undefined ? "plain script\n" : `script in ${chosen}\n`,
    answered: { "content-encoding": chosen, vary },
  })),
  {
    options: encoded,
    target: "/app/only.css",
    headers: accepts("br, zstd"),
    status: 200,
    body: "style in zstd\n",
    answered: { "content-encoding": "zstd", "content-type": "text/css; charset=utf-8" },
  },
  { options: encoded, target: "/app/bare.js", headers: accepts("gzip"), status: 404 },
  {
    options: encoded,
    target: "/app/main.js",
    headers: { ...accepts("br"), range: "bytes=7-8" },
    status: 206,
    body: "in",
    answered: { "content-encoding": "br", "content-range": "bytes 7-8/13", vary },
  },
  {
    options: encoded,
    target: "/app/main.js",
    method: "HEAD",
    headers: accepts("br"),
    status: 200,
    body: "",
    answered: { "content-encoding": "br", "content-length": "13" },
  },
  {
    options: encoded,
    target: "/app/main.js",
    headers: { ...accepts("br"), "if-none-match": "*" },
    status: 304,
    body: "",
    answered: { vary, "content-encoding": undefined, "etag": /-br"$/ },
  },
  {
    options: {},
    target: "/app/main.js",
    headers: accepts("br"),
    status: 200,
    body: "plain script\n",
    answered: { "content-encoding": undefined, "vary": undefined },
  },
  // What is said of a file.
  {
    options: { cacheControl: "public, max-age=60" },
    target: "/hello.txt",
    status: 200,
    answered: { "cache-control": "public, max-age=60" },
  },
  {
    options: { cacheControl: "public, max-age=60" },
    target: "/hello.txt",
    headers: { "if-none-match": "*" },
    status: 304,
    answered: { "cache-control": "public, max-age=60" },
  },
  {
    options: { cacheControl: "public, max-age=60" },
    target: "/nowhere",
    status: 404,
    answered: { "cache-control": undefined },
  },
  {
    options: { cacheControl: (path) => path.endsWith(".html") ? "no-cache" : undefined },
    target: "/app/",
    status: 200,
    answered: { "cache-control": "no-cache" },
  },
  {
    options: { cacheControl: (path) => path.endsWith(".html") ? "no-cache" : undefined },
    target: "/hello.txt",
    status: 200,
    answered: { "cache-control": undefined },
  },
  {
    options: { headers: { "X-One": "1", "ETag": "mine", "Content-Length": "3" } },
    target: "/hello.txt",
    status: 200,
    body: "hello world\n",
    answered: { "x-one": "1", "etag": /^"c-/, "content-length": "12" },
  },
  {
    options: { headers: (path) => ({ "x-path": path }) },
    target: "/sub/inner.txt",
    status: 200,
    answered: { "x-path": "sub/inner.txt" },
  },
  {
    options: { contentType: (path) => path.endsWith(".zzz") ? "text/x-zzz" : undefined },
    target: "/unknown.zzz",
    status: 200,
    answered: { "content-type": "text/x-zzz" },
  },
  {
    options: { contentType: (path) => path.endsWith(".zzz") ? "text/x-zzz" : undefined },
    target: "/hello.txt",
    status: 200,
    answered: { "content-type": "text/plain; charset=utf-8" },
  },
  ...Object.entries({
    "": "Accept-Encoding",
    "Origin": "Origin, Accept-Encoding",
    " Origin , Cookie": "Origin, Cookie, Accept-Encoding",
    "accept-encoding, Origin": "accept-encoding, Origin",
    "*": "*",
  }).map(([own, vary]) => ({
    ...{ options: { ...encoded, headers: { Vary: own } }, target: "/app/main.js" },
    ...{ headers: accepts("br"), status: 200, answered: { vary, "content-encoding": "br" } },
  })),
  {
    options: { headers: { Vary: "Origin" } },
    target: "/app/main.js",
    status: 200,
    answered: { vary: "Origin" },
  },
];
