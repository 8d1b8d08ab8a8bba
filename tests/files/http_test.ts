import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { serveApis, startServer } from "../../scenarios/serve/start_server.ts";
import { serveModes } from "../../src/files/read_settings.ts";
import { withFixture } from "./fixture.ts";
import { type Host, hosts } from "./hosts.ts";
import { type HttpCase, httpCases } from "./http_cases.ts";
import { openFiles, remainingFiles } from "./open_files.ts";
import {
  ask,
  complaintsOf,
  parseResponse,
  rawRequest,
  rawRequests,
  type RawResponse,
  requestText,
} from "./raw_request.ts";

const runtime = currentRuntime().name;

/** A kind of server that is asked. */
interface Subject extends Host {
  /** Whether long bodies are streamed. */
  readonly streams: boolean;
}

/** What `deno task serve` runs. */
const ownServers = serveApis.flatMap((api) =>
  serveModes.map((mode): Subject => ({
    name: `${api} server, mode ${mode}`,
    normalizes: api === "web" && runtime === "bun",
    isWeb: api === "web",
    streams: mode === "stream",
    async start(root, options) {
      const where = { host: "127.0.0.1", port: 0 };
      const server = await startServer(api, { root, mode, ...options }, where);
      return { port: server.port, [Symbol.asyncDispose]: () => server.close(1000) };
    },
  }))
);
const subjects = [...ownServers, ...hosts.map((host) => ({ ...host, streams: true }))];

const allowedHosts = ["localhost", "127.0.0.1", "::1", "Files.Example"];
const malformed = ["x/sub/inner.txt?", "a b", "x@y", "x#y", "[::1", "a:b", "x\\y", "a, b"];
const allowed = ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "[::1]:1", "files.example."];
const others = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1"];

for (const { name, start } of subjects.filter(({ streams }) => streams)) {
  for (const options of [{}, { allowedHosts }]) {
    const isLimited = "allowedHosts" in options;
    test(`${name}: a malformed host is 400, ${isLimited ? "another 421" : "any other answered"}`, () =>
      withFixture(async (root) => {
        await using server = await start(root, options, true);
        const wrong: unknown[] = [];
        const check = async (host: string, status: number, body?: RegExp) => {
          const answer = await ask(server.port, "/hello.txt", { Host: host });
          if (answer.status !== status || body?.test(answer.body.toString()) === false) {
            wrong.push([host, answer.status, answer.body.toString()]);
          }
        };
        for (const host of malformed) await check(host, 400);
        for (const host of allowed) await check(host, 200, /^hello world\n$/);
        for (const host of others) {
          await (isLimited ? check(host, 421, /^This server does not/) : check(host, 200));
        }
        assertEquals(wrong, []);
      }));
  }
}

function wantedStatus(one: HttpCase, { normalizes, isWeb }: Subject): HttpCase["status"] {
  if (normalizes && one.statusIfNormalized !== undefined) return one.statusIfNormalized;
  if (isWeb && runtime === "deno") return one.statusInDenoServe ?? one.status;
  return one.status;
}

/** What is wrong with an answer, or told by it, in words. */
function complaints(one: HttpCase, subject: Subject, response: RawResponse, base: string) {
  const { status, headers, body } = response;
  const wanted = wantedStatus(one, subject);
  // Where a URL was normalized, what is answered is another file.
  const answer = wanted === one.status ? one : {};
  const found = wanted === "refused"
    ? status !== 0 && status < 400 ? [`status ${status}, expected a refusal`] : []
    : complaintsOf({ ...answer, status: wanted }, response);
  const everything = [...headers.values(), body.toString("latin1", 0, 10_000)].join("\n");
  for (const word of ["SECRET", base, "ENOENT", "node_modules", "    at "]) {
    if (everything.includes(word)) found.push(`it tells ${JSON.stringify(word)}`);
  }
  return found;
}

for (const subject of subjects) {
  test(`${subject.name}: the table of requests`, () =>
    withFixture(async (root, base) => {
      await using server = await subject.start(root, {}, true);
      const { port } = server;
      const tagOf = async (target: string) =>
        (await ask(port, target, {}, "HEAD")).headers.get("etag")!;
      const cases = httpCases(await tagOf("/hello.txt"), await tagOf("/big.bin"));
      const wrong: string[] = [];
      for (const one of cases) {
        const response = parseResponse(await rawRequest(port, one.text), one.method);
        const found = complaints(one, subject, response, base);
        if (found.length > 0) wrong.push(`${one.name}: ${found.join("; ")}`);
      }
      assertEquals(wrong, []);
      assertEquals(await remainingFiles(base), []);
    }));
}

for (const subject of ownServers) {
  test(`${subject.name}: HEAD has the headers of GET, and a connection takes several requests`, () =>
    withFixture(async (root) => {
      await using server = await subject.start(root, {});
      const { port } = server;
      // Bun.serve adds no Date to HEAD, and streams by chunks whatever length it is told.
      const volatile = ["date", "connection", "keep-alive"];
      const isBunServe = runtime === "bun" && subject.isWeb;
      for (const target of ["/hello.txt", "/empty.bin", "/nowhere", "/big.bin"]) {
        const [get, head] = await Promise.all(["GET", "HEAD"].map(async (method) => {
          const { headers } = await ask(port, target, {}, method);
          return Object.fromEntries(
            [...headers].filter(([name]) => !volatile.includes(name)).sort(),
          );
        }));
        if (isBunServe && target === "/big.bin" && subject.streams) {
          // Once this fails, Bun has learnt it and the exception can go.
          assertEquals(get!["transfer-encoding"], "chunked");
          get!["content-length"] = head!["content-length"]!;
          delete get!["transfer-encoding"];
        }
        assertEquals(head, get, target);
      }
      const keep = { Connection: "keep-alive" };
      // One after the other: Bun.serve does not take a request before it has answered the last.
      const bytes = await rawRequests(port, [
        { text: requestText("/hello.txt", keep), until: "hello world\n" },
        { text: requestText("/hello.txt", keep, "HEAD"), until: "\r\n\r\n" },
        { text: requestText("/sub/inner.txt"), until: "inner\n" },
      ]);
      const text = bytes.toString("latin1");
      assertEquals(text.match(/^HTTP\/1\.1 200/gm)?.length, 3);
      assertEquals(text.match(/hello world\n|inner\n/g), ["hello world\n", "inner\n"]);
      assertEquals(openFiles(root), []);
    }));
}
