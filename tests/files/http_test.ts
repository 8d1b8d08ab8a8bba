import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { serveApis, startServer } from "../../scenarios/serve/start_server.ts";
import { serveModes } from "../../src/files/read_settings.ts";
import { withFixture } from "./fixture.ts";
import { type Host, hosts, type SharedOptions } from "./hosts.ts";
import { type HttpCase, httpCases } from "./http_cases.ts";
import { openFiles, remainingFiles } from "./open_files.ts";
import {
  ask,
  ask as request,
  complaintsOf,
  parseResponse,
  rawRequest,
  rawRequests,
  type RawResponse,
  requestText,
} from "./raw_request.ts";

interface Subject {
  readonly name: string;
  start(root: string, options: SharedOptions): Promise<{ port: number; close(): Promise<void> }>;
}

const subjects: readonly Subject[] = [
  ...hosts.map(({ name, start }) => ({
    name,
    start: (root: string, options: SharedOptions) => start(root, options, true),
  })),
  ...serveApis.map((api) => ({
    name: `the command's server, ${api}`,
    async start(root: string, options: SharedOptions) {
      const where = { host: "127.0.0.1", port: 0 };
      const server = await startServer(api, { root, ...options }, where);
      return { port: server.port, close: () => server.close(1000) };
    },
  })),
];

const allowedHosts = ["localhost", "127.0.0.1", "::1", "Files.Example"];
const malformed = ["x/sub/inner.txt?", "a b", "x@y", "x#y", "[::1", "a:b", "x\\y", "a, b"];
const allowed = ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "[::1]:1", "files.example."];
const others = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1"];

for (const { name, start } of subjects) {
  for (const options of [{}, { allowedHosts }]) {
    const isLimited = "allowedHosts" in options;
    test(`${name}: a malformed host is 400, ${isLimited ? "another 421" : "any other answered"}`, () =>
      withFixture(async (root) => {
        const { port, close } = await start(root, options);
        const wrong: unknown[] = [];
        try {
          const ask = async (host: string, status: number, body?: RegExp) => {
            const answer = await request(port, "/hello.txt", { Host: host });
            if (answer.status !== status || body?.test(answer.body.toString()) === false) {
              wrong.push([host, answer.status, answer.body.toString()]);
            }
          };
          for (const host of malformed) await ask(host, 400);
          for (const host of allowed) await ask(host, 200, /^hello world\n$/);
          for (const host of others) {
            await (isLimited ? ask(host, 421, /^This server does not/) : ask(host, 200));
          }
          assertEquals(wrong, []);
        } finally {
          await close();
        }
      }));
  }
}

const runtime = currentRuntime().name;

/** A kind of server that the table is asked of. */
interface HttpSubject extends Omit<Host, "start"> {
  /** Whether long bodies are streamed. */
  readonly streams: boolean;
  start(root: string): Promise<{ readonly port: number; close(): Promise<void> }>;
}

/** What `deno task serve` runs. */
const ownServers = serveApis.flatMap((api) =>
  serveModes.map((mode): HttpSubject => ({
    name: `${api} server, mode ${mode}`,
    normalizes: api === "web" && runtime === "bun",
    isWeb: api === "web",
    streams: mode === "stream",
    async start(root) {
      const server = await startServer(api, { root, mode }, { host: "127.0.0.1", port: 0 });
      return { port: server.port, close: () => server.close(1000) };
    },
  }))
);

function wantedStatus(one: HttpCase, { normalizes, isWeb }: HttpSubject): HttpCase["status"] {
  if (normalizes && one.statusIfNormalized !== undefined) return one.statusIfNormalized;
  if (isWeb && runtime === "deno") return one.statusInDenoServe ?? one.status;
  return one.status;
}

/** What is wrong with an answer, or told by it, in words. */
function complaints(one: HttpCase, subject: HttpSubject, response: RawResponse, base: string) {
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

for (
  const subject of [
    ...ownServers,
    ...hosts.map((host) => ({
      ...host,
      streams: true,
      start: (root: string) => host.start(root, {}, true),
    })),
  ]
) {
  test(`${subject.name}: the table of requests`, () =>
    withFixture(async (root, base) => {
      const { port, close } = await subject.start(root);
      try {
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
      } finally {
        await close();
      }
    }));
}

for (const subject of ownServers) {
  test(`${subject.name}: HEAD has the headers of GET, and a connection takes several requests`, () =>
    withFixture(async (root) => {
      const { port, close } = await subject.start(root);
      // Bun.serve adds no Date to HEAD, and streams by chunks whatever length it is told.
      const volatile = ["date", "connection", "keep-alive"];
      const isBunServe = runtime === "bun" && subject.isWeb;
      try {
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
      } finally {
        await close();
      }
    }));
}
