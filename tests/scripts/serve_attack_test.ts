import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type Attack, secret, withAttackSite } from "../../scenarios/serve/attack/attack.ts";
import { attacks, hostileRequests } from "../../scenarios/serve/attack/command.ts";
import { localHosts } from "../../scenarios/serve/running_server.ts";
import { serveApis, startServer } from "../../scenarios/serve/start_server.ts";

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

const named = (part: string): Attack => attacks.find(({ name }) => name.includes(part))!;

const place = (port: number) => ({ host: "127.0.0.1", port, small: "/hello.txt", big: "/big.bin" });

/** Attacks a server that answers as `listener` does. */
async function attackListener(attack: Attack, listener: Listener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await attack.run(place((server.address() as { port: number }).port));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test("there are some 19,000 hostile requests, each another", () => {
  const requests = hostileRequests();
  assert(requests.length > 19_000, String(requests.length));
  const different = new Set(requests.map(({ text }) => text));
  assert(different.size > 0.95 * requests.length, String(different.size));
});

// Each attack succeeds where it should.
const weak: Readonly<Record<string, Listener>> = {
  "odd hosts": (_request, response) => void response.end(secret),
  "odd headers": (request, response) => void (request.url === "/sub/" || response.end("hello")),
  "another site's name": (_request, response) => void response.end("hello"),
  "that take long to read": (request, response) => {
    const until = performance.now() + (JSON.stringify(request.headers).length > 9000 ? 120 : 0);
    while (performance.now() < until);
    response.end("hello");
  },
  "asked for 1,000 times": (request, response) =>
    void response.end("x".repeat(request.headers.range === undefined ? 1 : 40 * 2 ** 20)),
  "nothing read": (() => {
    let count = 0;
    return (_request, response) => void (count++ > 0 || response.end("hello"));
  })(),
};
for (const [part, listener] of Object.entries(weak)) {
  test(`a weak server loses: ${part}`, async () => {
    const verdict = await attackListener(named(part), listener);
    assertEquals(verdict?.isLost, true, verdict?.why);
  });
}

test("what is not there to be attacked is not tried", async () => {
  const listener: Listener = (_request, response) => void response.end("hello");
  assertEquals(await attackListener(named("overwritten"), listener), undefined);
  assertEquals(await attackListener(named("more idle connections"), listener), undefined);
});

for (const api of serveApis) {
  test(`${api} server: withstands what can be tried in one process`, () =>
    withAttackSite(async (root) => {
      const options = { root, allowedHosts: localHosts("127.0.0.1"), onError() {} };
      const server = await startServer(api, options, { host: "127.0.0.1", port: 0 });
      try {
        const parts = ["odd targets", "odd hosts", "odd headers", "another site's name"]
          .concat(["take long to read", "asked for 1,000 times", "reset at once", "nothing read"]);
        for (const part of parts) {
          const { name, run } = named(part);
          const verdict = await run(place(server.port));
          assertEquals(verdict?.isLost, false, `${name}: ${verdict?.why}`);
        }
      } finally {
        await server.close(0);
      }
    }));
}
