import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { serveApis, startServer } from "../../scenarios/serve/start_server.ts";
import { withFixture } from "./fixture.ts";
import { hosts, type SharedOptions } from "./hosts.ts";
import { ask as request } from "./raw_request.ts";

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
