import { Buffer } from "node:buffer";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { type ServeApi, startServer } from "../../scenarios/serve/start_server.ts";
import type { ServeMode } from "../../src/files/handler_options.ts";
import { withFixture } from "./fixture.ts";
import { type HttpCase, httpCases } from "./http_cases.ts";
import { openFiles, remainingFiles } from "./open_files.ts";
import { parseResponse, rawRequest, rawRequests, type RawResponse } from "./raw_request.ts";

const runtime = currentRuntime().name;

function request(method: string, target: string): string {
  return `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
}

/** A kind of server that the table is asked of. */
export interface HttpSubject {
  readonly title: string;
  /** Whether it shows only a normalized URL, in which an inner `..` has been resolved. */
  readonly normalizes: boolean;
  /** Whether it is one of a runtime's own, which let through or leave out what others do not. */
  readonly isWeb: boolean;
  /** Whether long bodies are streamed. */
  readonly streams: boolean;
  start(root: string): Promise<{ readonly port: number; close(): Promise<void> }>;
}

/** What `deno task serve` runs. */
export function ownServer(api: ServeApi, mode: ServeMode): HttpSubject {
  return {
    title: `${api} server, mode ${mode}`,
    normalizes: api === "web" && runtime === "bun",
    isWeb: api === "web",
    streams: mode === "stream",
    async start(root) {
      const server = await startServer(api, { root, mode }, { host: "127.0.0.1", port: 0 });
      return { port: server.port, close: () => server.close(1000) };
    },
  };
}

function wantedStatus(one: HttpCase, { normalizes, isWeb }: HttpSubject): HttpCase["status"] {
  if (normalizes && one.statusIfNormalized !== undefined) return one.statusIfNormalized;
  if (isWeb && runtime === "deno") return one.statusInDenoServe ?? one.status;
  return one.status;
}

/** What is wrong with an answer, in words. */
function complaints(
  one: HttpCase,
  subject: HttpSubject,
  response: RawResponse,
  base: string,
): string[] {
  const { status, headers, body, isWhole } = response;
  const wanted = wantedStatus(one, subject);
  const found: string[] = [];
  if (wanted === "refused" ? status !== 0 && status < 400 : status !== wanted) {
    found.push(`status ${status}, expected ${wanted}`);
  }
  if (wanted !== "refused" && !isWhole) found.push("the body is cut");
  if (status === wanted && one.body !== undefined && !body.equals(Buffer.from(one.body))) {
    found.push(`body ${JSON.stringify(body.toString("latin1", 0, 60))} (${body.length} bytes)`);
  }
  for (const [name, value] of Object.entries(one.headers ?? {})) {
    const actual = headers.get(name);
    const fits = value instanceof RegExp
      ? actual !== undefined && value.test(actual)
      : actual === value;
    // Bun.serve gives no Date with HEAD, and no Content-Length with a stream; see docs/serve-http.md.
    if (!fits) found.push(`${name}: ${actual}, expected ${value}`);
  }
  const everything = [...headers.values(), body.toString("latin1", 0, 10_000)].join("\n");
  for (const word of ["SECRET", base, "ENOENT", "node_modules", "    at "]) {
    if (everything.includes(word)) found.push(`it tells ${JSON.stringify(word)}`);
  }
  return found;
}

/** Asks one kind of server the whole table, in the current runtime. */
export function httpTable(subject: HttpSubject): void {
  test(`${subject.title}: the table of requests`, () =>
    withFixture(async (root, base) => {
      const server = await subject.start(root);
      try {
        const ask = async (text: string, method: string) =>
          parseResponse(await rawRequest(server.port, text), method);
        const tagOf = async (target: string) =>
          (await ask(request("HEAD", target), "HEAD")).headers.get("etag")!;
        const cases = httpCases(await tagOf("/hello.txt"), await tagOf("/big.bin"));
        assert(cases.length >= 80, `the table has ${cases.length} requests`);
        const wrong: string[] = [];
        for (const one of cases) {
          const found = complaints(one, subject, await ask(one.text, one.method), base);
          if (found.length > 0) wrong.push(`${one.name}: ${found.join("; ")}`);
        }
        assertEquals(wrong, []);
        assertEquals(await remainingFiles(base), []);
      } finally {
        await server.close();
      }
    }));
}

/** Asks one kind of server the whole table and what takes several requests, in the current runtime. */
export function httpSuite(subject: HttpSubject): void {
  httpTable(subject);
  const { title } = subject;

  test(`${title}: HEAD has the headers of GET`, () =>
    withFixture(async (root) => {
      const server = await subject.start(root);
      // Bun.serve adds no Date to HEAD, and streams by chunks whatever length it is told.
      const volatile = ["date", "connection", "keep-alive"];
      const isBunServe = runtime === "bun" && subject.isWeb;
      try {
        for (const target of ["/hello.txt", "/empty.bin", "/nowhere", "/big.bin"]) {
          const [get, head] = await Promise.all(["GET", "HEAD"].map(async (method) => {
            const bytes = await rawRequest(server.port, request(method, target));
            const { headers } = parseResponse(bytes, method);
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
      } finally {
        await server.close();
      }
    }));

  test(`${title}: several requests on one connection`, () =>
    withFixture(async (root) => {
      const server = await subject.start(root);
      try {
        const keep = (method: string, target: string) =>
          `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
        // One after the other: Bun.serve does not take a request before it has answered the last.
        const bytes = await rawRequests(server.port, [
          { text: keep("GET", "/hello.txt"), until: "hello world\n" },
          { text: keep("HEAD", "/hello.txt"), until: "\r\n\r\n" },
          { text: request("GET", "/sub/inner.txt"), until: "inner\n" },
        ]);
        const text = bytes.toString("latin1");
        assertEquals(text.match(/^HTTP\/1\.1 200/gm)?.length, 3);
        assertEquals(text.match(/hello world\n|inner\n/g), ["hello world\n", "inner\n"]);
        assertEquals(openFiles(root), []);
      } finally {
        await server.close();
      }
    }));
}
