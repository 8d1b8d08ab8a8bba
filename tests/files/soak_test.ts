import { createHash } from "node:crypto";
import { get } from "node:http";
import { connect } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import { serveApis } from "../../scenarios/serve/start_server.ts";
import { pattern } from "./fixture.ts";
import { openFiles, openSockets } from "./open_files.ts";
import { ask, requestText } from "./raw_request.ts";
import { long, withServerProcess } from "./with_server_process.ts";
import { isThorough } from "../lib/thorough.ts";

const size = 8 * 2 ** 20;
const content = pattern(size);
const request = requestText("/long.bin");
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Downloads until `bytes` have come, then is gone without a word; 0 is gone once it has asked. */
function downloadPart(port: number, bytes: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1");
  let received = 0;
  socket.on("data", (part: Uint8Array) => {
    received += part.length;
    if (received >= bytes) socket.destroy();
  });
  socket.on("error", () => {});
  socket.on("close", () => resolve());
  socket.write(request, () => {
    if (bytes === 0) socket.destroy();
  });
  return promise;
}

/** Downloads a whole file, standing still again and again, so that the server must wait with bytes in hand. */
function downloadHaltingly(port: number, random: () => number, halts: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const call = get({ port, host: "127.0.0.1", path: "/long.bin", agent: false }, (response) => {
    const hash = createHash("sha256");
    response.on("data", (part: Uint8Array) => {
      hash.update(part);
      if (random() > halts) return;
      response.pause();
      setTimeout(() => response.resume(), random() * 20);
    });
    response.once("end", () => resolve(hash.digest("hex")));
    response.once("error", reject);
  });
  call.once("error", reject);
  return promise;
}

/** Cuts `count` downloads at random bytes, 16 at a time. */
async function cutDownloads(port: number, count: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  let started = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (started < count) {
      started++;
      // One in ten at the very beginning, where a body may not have been touched yet.
      const isAtBeginning = random() < 0.1;
      // In the gate more of them early, which takes less of a machine.
      const part = isThorough ? random() : random() ** 4;
      await downloadPart(port, isAtBeginning ? 0 : Math.floor(part * size));
    }
  }));
}

/** Connects and asks, and then reads `pace` bytes a second on average, as they come; 0 reads nothing. */
function connectSlowly(port: number, pace = 0) {
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  const client = { socket, isClosed: false, taken: 0 };
  socket.on("error", () => {});
  socket.once("close", () => client.isClosed = true);
  socket.on("data", ({ length }: Uint8Array) => {
    client.taken += length;
    socket.pause();
    if (!client.isClosed) setTimeout(() => socket.resume(), 1000 * length / pace).unref();
  });
  socket.write(request);
  if (pace > 0) setTimeout(() => socket.resume(), 200);
  return client;
}

const [count, readers, readSeconds, stalled] = isThorough
  ? [2000, 200, 60, 1000]
  : [250, 20, 4, 40];

for (const api of serveApis) {
  test(`${api} server: ${count} downloads cut at random bytes leave nothing behind`, () =>
    withServerProcess(api, async ({ port, remaining, state }) => {
      // The first answers compile code, which is no leak.
      await cutDownloads(port, isThorough ? 300 : 32, 1);
      assertEquals(await remaining(), []);
      let [grown, after] = [Infinity, await state()];
      // A collector that is late lets memory grow once; what is left behind lets it grow each time.
      for (let round = 0; round < 3 && grown >= 50; round++) {
        const before = after;
        const seed = Math.floor(Math.random() * 2 ** 32);
        await cutDownloads(port, count, seed);
        assertEquals(await remaining(), [], `seed ${seed}`);
        const { body, isWhole } = await ask(port, "/long.bin");
        assertEquals([isWhole, sha256(body)], [true, sha256(content)]);
        after = await state();
        grown = after.rssMiB - before.rssMiB;
      }
      assert(grown < 50, `RSS grew by ${grown.toFixed(1)} MiB to ${after.rssMiB.toFixed(1)}`);
    }, { long: content }));

  // Fewer clients and bytes halt more often.
  const [halting, mebibytes, halts] = isThorough ? [30, 24, 0.05] : [5, 16, 0.15];
  const halted = pattern(mebibytes * 2 ** 20 + 12345);
  test(`${api} server: clients that halt get every byte, while memory is filled again`, () =>
    withServerProcess(api, async ({ port, state }) => {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const random = seededRandom(seed);
      const clients = Array.from({ length: halting }, () => downloadHaltingly(port, random, halts));
      const digests = await Promise.all(clients).catch(async (cause) => {
        const said = JSON.stringify(await state());
        throw new Error(`seed ${seed}, the server says ${said}`, { cause });
      });
      assertEquals(digests, digests.map(() => sha256(halted)), `seed ${seed}`);
    }, { long: halted }));

  /** Clients that stay: how many, their bytes a second, the memory they may take, and when they are given up. */
  const staying = [
    [`50 clients that read nothing hold no more than a chunk each`, 50, 0, 64, undefined],
    [`${readers} readers at 1 kB/s are not cut`, readers, 1000, Infinity, undefined],
    [`${stalled} stalled connections are given up`, stalled, 0, 64 + stalled / 2, 1000],
  ] as const;
  for (const [what, clients, pace, mostMiB, idleTimeoutMs] of staying) {
    test(`${api} server: ${what}, and nothing is left behind`, () =>
      withServerProcess(api, async ({ root, port, processId, remaining, assertAnswers, state }) => {
        await downloadPart(port, 4 * 2 ** 20);
        assertEquals(await remaining(), []);
        const before = await state();
        const all = Array.from({ length: clients }, () => connectSlowly(port, pace));
        let peak = 0;
        for (let second = 0; second < readSeconds; second++) {
          await new Promise((resolve) => setTimeout(resolve, 1000));
          peak = Math.max(peak, (await state()).rssMiB);
        }
        if (idleTimeoutMs !== undefined) {
          // They stay; their files do not.
          assertEquals(await remaining(), []);
        } else {
          assertEquals(all.filter(({ isClosed }) => isClosed).length, 0, "cut connections");
          assertEquals(all.filter(({ taken }) => taken > 0).length, pace > 0 ? clients : 0);
          if (process.platform === "linux") {
            assertEquals(openFiles(root, processId).length, clients);
          }
        }
        for (const { socket } of all) socket.destroy();
        assertEquals(await remaining(), []);
        await assertAnswers();
        const sockets = openSockets(processId);
        assert(sockets < 20, `${sockets} sockets are open`);
        const grown = peak - before.rssMiB;
        assert(grown < mostMiB, `RSS grew by ${grown.toFixed(1)} MiB`);
      }, { long, idleTimeoutMs }));
  }
}
