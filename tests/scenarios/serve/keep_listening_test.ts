import { createServer, request } from "node:http";
import { connect, Server as NetServer } from "node:net";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { keepListening } from "../../../scenarios/serve/keep_listening.ts";
import { until } from "../../lib/until.ts";

const host = "127.0.0.1";
/** Only Deno's servers are replaced. */
const skip = currentRuntime().name === "bun" &&
  "no server of Bun's stops so that its connections go on";

function textOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request({ host, port, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => text += part);
      response.on("end", () => resolve(text));
    });
    asking.once("error", reject);
    asking.end();
  });
}

// After three clients the first connection is that of a check: it may be the last that the runtime accepts.
for (const last of [3, 4]) {
  test(`a server that accepts no more after connection ${last} is replaced`, {
    skip,
    timeout: 60_000,
  }, async () => {
    const troubles: string[] = [];
    let made = 0;
    const server = await keepListening(
      { host, port: 0, onTrouble: (text) => troubles.push(text) },
      () => {
        const number = ++made;
        const server = createServer((_, response) => response.end(`server ${number}`));
        let count = 0;
        if (number === 1) {
          server.on("connection", () => {
            if (++count === last) NetServer.prototype.close.call(server);
          });
        }
        return server;
      },
      { isForgetful: true, doubtAt: 2 },
    );
    const clients = Array.from({ length: 3 }, () => connect(server.port, host));
    for (const client of clients) client.on("error", () => {});
    try {
      await until(() => made === 2);
      let text: string | undefined;
      await until(async () => {
        text = await textOf(server.port).catch(() => undefined);
        return text !== undefined;
      });
      assert(text !== "server 1");
      // A busy machine may have it replaced again.
      assertEquals(troubles.length, made - 1);
    } finally {
      for (const client of clients) client.destroy();
      await server.close(0);
    }
  });
}
