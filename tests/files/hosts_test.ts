import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { sendFile } from "@hosepipe/streams/files";
import { fileHandler as nodeFileHandler, sendFile as sendNodeFile } from "@hosepipe/streams/node";
import { expressApp, fallenThrough, hosts, type SharedOptions } from "./hosts.ts";
import { type Served, serveNode } from "../lib/serve_node.ts";
import { withFixture } from "./fixture.ts";
import { remainingFiles } from "./open_files.ts";
import { ask as request, complaintsOf, type WantedResponse } from "./raw_request.ts";

/** A request under certain options, and what must come of it. */
interface OptionCase extends WantedResponse {
  readonly options: SharedOptions;
  readonly target: string;
  readonly method: string;
  readonly asked?: Readonly<Record<string, string>> | undefined;
}

const accepts = (coding: string) => ({ "accept-encoding": coding });
const encoded = { precompressed: true } as const;
const vary = "Accept-Encoding";
const html = "text/html; charset=utf-8";
const script = "text/javascript; charset=utf-8";
const page = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** The files that the cases ask for, besides those of the fixture; `.br` and the like are no real ones. */
const optionFiles: Readonly<Record<string, string>> = {
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

/** A row of the table: a target, perhaps after its method; its status; its body; headers of the answer and of the request. */
type Row = readonly [
  target: string,
  status: number,
  body?: OptionCase["body"],
  headers?: OptionCase["headers"],
  asked?: OptionCase["asked"],
];

const under = (options: SharedOptions, rows: readonly Row[]): OptionCase[] =>
  rows.map(([target, status, body, headers, asked]) => ({
    options,
    method: target.startsWith("/") ? "GET" : target.split(" ")[0]!,
    target: target.slice(target.indexOf("/")),
    status,
    body,
    headers,
    asked,
  }));

const noLocation = { location: undefined };
const noCache = (path: string) => path.endsWith(".html") ? "no-cache" : undefined;

/** What the options do, wherever the handler stands. */
const optionCases: readonly OptionCase[] = [
  // A folder's index, and the slash that leads to it.
  ...under({}, [
    ["/app/", 200, /app/, { "content-type": html }],
    ["/app", 301, undefined, { location: "./app/" }],
    ["/app?a=b&c", 301, undefined, { location: "./app/?a=b&c" }],
    ["HEAD /app", 301, ""],
    ["/app/a:b", 301, undefined, { location: "./a%3Ab/" }],
    ["/app/index.html", 200, /app/],
    ["/app/list/", 404],
    ["/app/list", 404, undefined, noLocation],
    ["//app", 404, undefined, noLocation],
    ["//evil.example/app", 404, undefined, noLocation],
    ["/app/index.html/", 404],
  ]),
  ...under({ index: false }, [["/app/", 404], ["/app", 404]]),
  ...under({ index: [] }, [["/app/", 404]]),
  ...under({ index: "100%.html" }, [["/app/", 200, /percent/]]),
  ...under({ index: ["none", "100%.html", "index.html"] }, [
    ["/app/", 200, /percent/],
    ["/app", 301],
  ]),
  ...under({ index: ["list", "none"] }, [["/app/", 404]]),
  ...under({ index: "main.js" }, [["/app/", 200, undefined, { "content-type": script }]]),
  // What may be left out at the end.
  ...under({ extensions: ["htm", "html"] }, [
    ["/app/index", 200, undefined, { "content-type": html }],
    ["/app/100%25", 200, /percent/],
    ["/app/index/", 404],
    ["/app/none", 404],
    ["/app", 301],
  ]),
  ...under({ extensions: ["js"] }, [["/app/main?a=b", 200, "plain script\n"]]),
  ...under({ extensions: ["js"], ...encoded }, [
    ["/app/main", 200, "script in br\n", {
      "content-type": script,
      "content-encoding": "br",
      vary,
    }, accepts("br")],
  ]),
  ...under({ extensions: ["txt"] }, [["/app/list/sub/x", 200, "x\n"]]),
  ...under({ extensions: ["js.br"] }, [["/app/main", 200, "script in br\n"]]),
  ...under({ extensions: ["env", "config", "nv"] }, [["/.git/", 404], ["/.e", 404]]),
  ...under({ extensions: ["html"], spa: "app/index.html" }, [
    ["/app/100%25", 200, /percent/, {}, page],
  ]),
  // Pages of an application that routes by itself.
  ...under({ spa: "app/index.html" }, [
    ["/users/17", 200, /app/, {}, page],
    ["/users/", 200, /app/, {}, page],
    ["/", 200, /app/, {}, page],
    ["HEAD /users", 200, ""],
    ["/logo.png", 404, undefined, {}, page],
    ["/.env", 404, undefined, {}, page],
    ["/%zz", 404, undefined, {}, page],
    ["/api", 404, undefined, {}, { accept: "application/json" }],
    ["/hello.txt", 200, "hello world\n"],
  ]),
  ...under({ spa: "app/missing.html" }, [["/users", 404, undefined, {}, page]]),
  ...under({ spa: true }, [["/users", 404, undefined, {}, page]]),
  // Lists.
  ...under({ listing: true }, [
    [
      "/app/list/",
      200,
      /^(?![^]*hidden)[^]*<td><a href="\.\.?\/[^]*href="\.\/sub\/"[^]*&lt;b&gt;&amp;&quot;&#39;\.txt<\/a>/,
      {
        "content-type": html,
        "cache-control": "no-cache",
        "etag": undefined,
        "x-content-type-options": "nosniff",
        "content-security-policy": /frame-ancestors 'none'/,
      },
    ],
    ["/app/list", 301, undefined, { location: "./list/" }],
    ["/app/", 200, /^<!doctype html>app\n$/],
    ["HEAD /app/list/", 200, ""],
    ["/.git/", 404],
    ["/link-folder/", 404],
    ["/link-git/", 404],
    ["/hello.txt/", 404],
    ["/", 200, /^(?![^]*(?:outside|link-git|link-hidden))[^]*link-sub\//],
  ]),
  ...under({ listing: true, dotfiles: "allow" }, [["/app/list/", 200, /hidden/]]),
  // Names with a dot.
  ...under({ dotfiles: "allow" }, [
    ["/.env", 200, "SECRET\n"],
    ["/.git/config", 200, "SECRET\n"],
    ["/link-hidden", 200, "SECRET\n"],
  ]),
  ...under({ dotfiles: "deny" }, [["/.env", 404], ["/.well-known/security.txt", 200]]),
  // Files that lie encoded beside others.
  ...under(encoded, [
    ["/app/main.js", 200, "script in br\n", {
      "content-encoding": "br",
      "content-length": "13",
      "content-type": script,
      "etag": /-br"$/,
      vary,
    }, accepts("gzip, deflate, br, zstd")],
    ["/app/main.js", 200, "plain script\n", { vary }],
    ...([
      ["gzip", "gzip"],
      ["br;q=0.5, gzip", "gzip"],
      ["br;q=0, gzip;q=0.1", "gzip"],
      ["*", "br"],
      ["*;q=0.5, br;q=0", "gzip"],
      ["BR", "br"],
      ["x-gzip", "gzip"],
      ["zstd"],
      ["identity"],
      ["identity;q=1, br;q=0.9"],
      ["br;q=0"],
      ["br;q=2"],
      ["br;q=nonsense"],
      [""],
      ["brotli"],
    ] as const).map(([coding, chosen]): Row => [
      "/app/main.js",
      200,
      chosen === undefined ? "plain script\n" : `script in ${chosen}\n`,
      { "content-encoding": chosen, vary },
      accepts(coding),
    ]),
    ["/app/only.css", 200, "style in zstd\n", {
      "content-encoding": "zstd",
      "content-type": "text/css; charset=utf-8",
    }, accepts("br, zstd")],
    ["/app/bare.js", 404, undefined, {}, accepts("gzip")],
    ["/app/main.js", 206, "in", {
      "content-encoding": "br",
      "content-range": "bytes 7-8/13",
      vary,
    }, { ...accepts("br"), range: "bytes=7-8" }],
    [
      "HEAD /app/main.js",
      200,
      "",
      { "content-encoding": "br", "content-length": "13" },
      accepts("br"),
    ],
    [
      "/app/main.js",
      304,
      "",
      { vary, "content-encoding": undefined, "etag": /-br"$/ },
      { ...accepts("br"), "if-none-match": "*" },
    ],
  ]),
  ...under({}, [
    [
      "/app/main.js",
      200,
      "plain script\n",
      { "content-encoding": undefined, "vary": undefined },
      accepts("br"),
    ],
  ]),
  // What is said of a file.
  ...under({ cacheControl: "public, max-age=60" }, [
    ["/hello.txt", 200, undefined, { "cache-control": "public, max-age=60" }],
    ["/hello.txt", 304, "", { "cache-control": "public, max-age=60" }, { "if-none-match": "*" }],
    ["/nowhere", 404, undefined, { "cache-control": undefined }],
  ]),
  ...under({ cacheControl: noCache }, [
    ["/app/", 200, undefined, { "cache-control": "no-cache" }],
    ["/hello.txt", 200, undefined, { "cache-control": undefined }],
  ]),
  ...under({ headers: { "X-One": "1", "ETag": "mine", "Content-Length": "3", "Vary": "Origin" } }, [
    ["/hello.txt", 200, "hello world\n", {
      "x-one": "1",
      "etag": /^"c-/,
      "content-length": "12",
      "vary": "Origin",
    }],
  ]),
  ...under({ headers: (path) => ({ "x-path": path }) }, [
    ["/sub/inner.txt", 200, undefined, { "x-path": "sub/inner.txt" }],
  ]),
  ...under({ contentType: (path) => path.endsWith(".zzz") ? "text/x-zzz" : undefined }, [
    ["/unknown.zzz", 200, undefined, { "content-type": "text/x-zzz" }],
    ["/hello.txt", 200, undefined, { "content-type": "text/plain; charset=utf-8" }],
  ]),
  ...Object.entries({
    "": "Accept-Encoding",
    "Origin": "Origin, Accept-Encoding",
    " Origin , Cookie": "Origin, Cookie, Accept-Encoding",
    "accept-encoding, Origin": "accept-encoding, Origin",
    "*": "*",
  }).flatMap(([own, vary]) =>
    under({ ...encoded, headers: { Vary: own } }, [
      ["/app/main.js", 200, undefined, { vary, "content-encoding": "br" }, accepts("br")],
    ])
  ),
];

const askCase = ({ port }: Served, { target, asked, method }: Partial<OptionCase>) =>
  request(port, target!, asked, method);

async function withFiles(use: (root: string) => Promise<void>): Promise<void> {
  await withFixture(async (root) => {
    for (const [name, content] of Object.entries(optionFiles)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    }
    await use(root);
    assertEquals(await remainingFiles(root), []);
  });
}

for (const host of hosts) {
  test(`${host.name}: the table of options`, () =>
    withFiles(async (root) => {
      const wrong: string[] = [];
      for (const options of new Set(optionCases.map((one) => one.options))) {
        await using server = await host.start(root, options);
        for (const one of optionCases.filter((one) => one.options === options)) {
          const found = complaintsOf(one, await askCase(server, one));
          if (found.length > 0) wrong.push(`${JSON.stringify(one)}: ${found.join("; ")}`);
        }
      }
      assertEquals(wrong, []);
    }));
}

test("what is nothing of ours goes to the next handler, where there is one", () =>
  withFiles(async (root) => {
    for (const host of hosts) {
      const isNext = ["Hono", "Express"].includes(host.name);
      await using server = await host.start(root, {});
      for (const one of [{ target: "/nowhere" }, { target: "/hello.txt", method: "POST" }]) {
        const asked = { "content-length": "0" };
        const { status, body } = await askCase(server, { ...one, asked });
        const plain = one.method === undefined ? 404 : 405;
        assertEquals([host.name, status], [host.name, isNext ? 404 : plain]);
        assertEquals(body.toString() === fallenThrough, isNext, host.name);
      }
    }
  }));

test("sendFile sends what the application has chosen, and nothing else", () =>
  withFiles(async (root) => {
    const get = (headers = {}) => new Request("http://localhost/whatever/../", { headers });
    const path = join(root, "hello.txt");
    const whole = await sendFile(get(), path);
    assertEquals([whole.status, await whole.text()], [200, "hello world\n"]);
    const part = await sendFile(get({ range: "bytes=0-4" }), path, { cacheControl: "no-store" });
    assertEquals([part.status, await part.text()], [206, "hello"]);
    assertEquals(part.headers.get("cache-control"), "no-store");
    assertEquals((await sendFile(get({ "if-none-match": "*" }), path)).status, 304);
    for (const other of ["nowhere", "sub", "pipe", "link-dangling", "link-loop"]) {
      assertEquals((await sendFile(get(), join(root, other))).status, 404, other);
    }
    // The path is the application's: it may lead anywhere.
    assertEquals(await (await sendFile(get(), join(root, "link-outside.txt"))).text(), "SECRET\n");
    const coded = await sendFile(get({ "accept-encoding": "br" }), join(root, "app/main.js"), {
      precompressed: true,
    });
    assertEquals([coded.headers.get("content-encoding"), await coded.text()], [
      "br",
      "script in br\n",
    ]);
    const fallthrough = () => new Response("other");
    assertEquals(
      await (await sendFile(get(), join(root, "nowhere"), { fallthrough })).text(),
      "other",
    );
  }));

test("sendFile's twin answers, falls through, and redirects a mount", () =>
  withFiles(async (root) => {
    const app = expressApp();
    const send = (name: string): Parameters<typeof app.get>[1] => (asked, response, next) =>
      sendNodeFile(asked, response, join(root, name), {}, next);
    app.get("/one", send("hello.txt"));
    app.get("/none", send("nowhere"));
    app.use("/mounted", nodeFileHandler(join(root, "app")));
    app.use((_asked, response) => response.writeHead(404).end(fallenThrough));
    await using server = await serveNode(app);
    const ask = (target: string) => request(server.port, target);
    assertEquals((await ask("/one")).body.toString(), "hello world\n");
    assertEquals((await ask("/none")).body.toString(), fallenThrough);
    assertEquals((await ask("/mounted?x")).headers.get("location"), "./mounted/?x");
    assertEquals((await ask("/mounted/")).body.toString(), "<!doctype html>app\n");
    assertEquals((await ask("/mounted/main.js")).body.toString(), "plain script\n");
  }));
