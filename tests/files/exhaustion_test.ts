import { connect } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { assert } from "@std/assert";
import { pattern } from "./fixture.ts";
import { parseResponse, rawRequest, requestText } from "./raw_request.ts";
import { processApis, withServerProcess } from "./with_server_process.ts";

/** What 200 clients ask for before they read no more: nothing, part of a request, or a long file. */
const rounds = ["", "GET /hello.txt HT", requestText("/long.bin", { Connection: "keep-alive" })];

/** Connects, asks, and reads nothing, until it is called off. */
function occupy(port: number, text: string): () => void {
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  socket.on("error", () => {});
  if (text !== "") socket.write(text);
  return () => socket.destroy();
}

/** Whether the server answers within five seconds, which each attempt has a part of. */
async function recovers(port: number): Promise<boolean> {
  const until = performance.now() + 5000;
  while (performance.now() < until) {
    const timeoutMs = Math.max(1, Math.min(1000, until - performance.now()));
    const bytes = await rawRequest(port, requestText("/hello.txt"), { timeoutMs })
      .catch(() => undefined);
    if (bytes !== undefined && parseResponse(bytes).body.toString() === "hello world\n") {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

const skip = process.platform === "win32" ? "no ulimit there" : false;

// 200 clients of a server that may have 64 files open: when they have left, it answers again.
for (const api of processApis) {
  test(
    `${api} server: three times out of files, it recovers within 5 s`,
    { skip },
    () =>
      withServerProcess(api, async ({ port, state }) => {
        for (const [index, text] of rounds.entries()) {
          const leave = Array.from({ length: 200 }, () => occupy(port, text));
          await new Promise((resolve) => setTimeout(resolve, 1200));
          for (const one of leave) one();
          const isBack = await recovers(port);
          const message = `round ${index + 1}: ${(await state()).troubles.join("; ")}`;
          assert(isBack, message);
        }
      }, { files: 64, long: pattern(16 * 2 ** 20) }),
  );
}
