import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { sendFile } from "@hosepipe/streams/files";
import { fileHandler as nodeFileHandler, sendFile as sendNodeFile } from "@hosepipe/streams/node";
import { expressApp } from "./express_app.ts";
import { withFixture } from "./fixture.ts";
import { fallenThrough, type Host, hosts, serveNode, type SharedOptions } from "./hosts.ts";
import { type OptionCase, optionCases, optionFiles } from "./option_cases.ts";
import { remainingFiles } from "./open_files.ts";
import { parseResponse, rawRequest, type RawResponse } from "./raw_request.ts";

function request({ method = "GET", target, headers = {} }: Partial<OptionCase>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n`;
}

function complaints(one: OptionCase, { status, headers, body, isWhole }: RawResponse): string[] {
  const found: string[] = [];
  const text = body.toString();
  if (status !== one.status) found.push(`status ${status}`);
  if (!isWhole) found.push("the body is cut");
  const isBody = one.body instanceof RegExp ? one.body.test(text) : one.body === text;
  if (one.body !== undefined && !isBody) found.push(`body ${JSON.stringify(text.slice(0, 300))}`);
  for (const [name, value] of Object.entries(one.answered ?? {})) {
    const actual = headers.get(name);
    const fits = value instanceof RegExp ? value.test(actual ?? "") : actual === value;
    if (!fits) found.push(`${name}: ${actual}, expected ${value}`);
  }
  return found;
}

async function withServer(
  host: Host,
  root: string,
  options: SharedOptions,
  use: (ask: (one: Partial<OptionCase>) => Promise<RawResponse>) => Promise<void>,
): Promise<void> {
  const { port, close } = await host.start(root, options);
  try {
    await use(async (one) => parseResponse(await rawRequest(port, request(one)), one.method));
  } finally {
    await close();
  }
}

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
        await withServer(host, root, options, async (ask) => {
          for (const one of optionCases.filter((one) => one.options === options)) {
            const found = complaints(one, await ask(one));
            const name = `${one.method ?? "GET"} ${one.target} ${
              JSON.stringify(one.headers ?? {})
            }`;
            if (found.length > 0) {
              wrong.push(`${JSON.stringify(options)} ${name}: ${found.join("; ")}`);
            }
          }
        });
      }
      assertEquals(wrong, []);
    }));

  test(`${host.name}: a body of many chunks, whole, in part and cut`, () =>
    withFiles(async (root) => {
      await withServer(host, root, {}, async (ask) => {
        const { body, isWhole } = await ask({ target: "/big.bin" });
        assertEquals([body.length, isWhole], [600_003, true]);
        const part = await ask({ target: "/big.bin", headers: { range: "bytes=1-500000" } });
        assertEquals([part.status, part.body.equals(body.subarray(1, 500_001))], [206, true]);
      });
    }));
}

test("what is nothing of ours goes to the next handler, where there is one", () =>
  withFiles(async (root) => {
    for (const host of hosts) {
      const isNext = ["Hono", "Express"].includes(host.name);
      await withServer(host, root, {}, async (ask) => {
        for (const one of [{ target: "/nowhere" }, { target: "/hello.txt", method: "POST" }]) {
          const { status, body } = await ask({ ...one, headers: { "content-length": "0" } });
          const plain = one.method === undefined ? 404 : 405;
          assertEquals([host.name, status], [host.name, isNext ? 404 : plain]);
          assertEquals(body.toString() === fallenThrough, isNext, host.name);
        }
      });
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
    const { port, close } = await serveNode(app);
    const ask = async (target: string) =>
      parseResponse(await rawRequest(port, request({ target })));
    assertEquals((await ask("/one")).body.toString(), "hello world\n");
    assertEquals((await ask("/none")).body.toString(), fallenThrough);
    assertEquals((await ask("/mounted?x")).headers.get("location"), "./mounted/?x");
    assertEquals((await ask("/mounted/")).body.toString(), "<!doctype html>app\n");
    assertEquals((await ask("/mounted/main.js")).body.toString(), "plain script\n");
    await close();
  }));
