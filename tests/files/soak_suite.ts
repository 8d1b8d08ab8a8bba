import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { get } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { seededRandom } from "../../bench/results/seeded_random.ts";
import type { ServeApi } from "../../scenarios/serve/start_server.ts";
import { pattern, withFixture } from "./fixture.ts";
import { openFiles, openSockets, remainingFiles } from "./open_files.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";
import { withServerProcess } from "./with_server_process.ts";
import { isThorough } from "../lib/thorough.ts";

const size = 8 * 2 ** 20;
const content = pattern(size);
/** More than all buffers of the system between us take. */
const large = pattern(24 * 2 ** 20);
const request = "GET /soak.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

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

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Downloads a little, which compiles what serves. */
async function assertStarts(port: number): Promise<void> {
  const text = request.replace("soak.bin", "hello.txt");
  assertEquals(parseResponse(await rawRequest(port, text)).body.toString(), "hello world\n");
}

async function assertServes(port: number): Promise<void> {
  const { body, isWhole } = parseResponse(await rawRequest(port, request));
  assertEquals([isWhole, sha256(body)], [true, sha256(content)]);
}

/** Downloads a whole file, standing still again and again, so that the server must wait with bytes in hand. */
async function downloadHaltingly(
  port: number,
  random: () => number,
  halts: number,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const call = get({ port, host: "127.0.0.1", path: "/soak.bin", agent: false }, (response) => {
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
  return await promise;
}

/** Cuts `count` downloads at random bytes, `parallel` at a time. */
async function cutDownloads(port: number, count: number, parallel: number, seed: number) {
  const random = seededRandom(seed);
  let started = 0;
  await Promise.all(Array.from({ length: parallel }, async () => {
    while (started < count) {
      started++;
      // One in ten at the very beginning, where a body may not have been touched yet.
      const isAtBeginning = random() < 0.1;
      // In the gate more of them early, which takes less of a machine.
      const part = isThorough ? random() : random() ** 4;
      await downloadPart(port, isAtBeginning ? 0 : Math.floor(part * size));
    }
  }));
  return started;
}

/** Connects and asks, and then reads `pace` bytes a second on average, as they come. */
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

/** Clients that leave, and clients that stay and read little or nothing. */
export function soakSuite(api: ServeApi): void {
  const count = isThorough ? 2000 : 250;
  test(`${api} server: ${count} downloads cut at random bytes leave nothing behind`, () =>
    withFixture(async (root) => {
      await writeFile(join(root, "soak.bin"), content);
      await withServerProcess(api, root, async ({ port, processId, state }) => {
        // The first answers compile code, which is no leak.
        await cutDownloads(port, isThorough ? 300 : 32, 16, 1);
        await assertServes(port);
        assertEquals(await remainingFiles(root, processId), []);
        let [grown, after] = [Infinity, await state()];
        // A collector that is late lets memory grow once; what is left behind lets it grow each time.
        for (let round = 0; round < 3 && grown >= 50; round++) {
          const before = after;
          const seed = Math.floor(Math.random() * 2 ** 32);
          assertEquals(await cutDownloads(port, count, 16, seed), count, `seed ${seed}`);
          assertEquals(await remainingFiles(root, processId), [], `seed ${seed}`);
          await assertServes(port);
          after = await state();
          grown = after.rssMiB - before.rssMiB;
        }
        assertEquals(after.unhandled, 0);
        assert(grown < 50, `RSS grew by ${grown.toFixed(1)} MiB to ${after.rssMiB.toFixed(1)}`);
      });
    }));

  test(`${api} server: clients that halt get every byte, while memory is filled again`, () =>
    withFixture(async (root) => {
      // Fewer clients and bytes halt more often.
      const [count, mebibytes, halts] = isThorough ? [30, 24, 0.05] : [5, 16, 0.15];
      const long = pattern(mebibytes * 2 ** 20 + 12345);
      await writeFile(join(root, "soak.bin"), long);
      await withServerProcess(api, root, async ({ port, processId, state }) => {
        const seed = Math.floor(Math.random() * 2 ** 32);
        const random = seededRandom(seed);
        const clients = Array.from({ length: count }, () => downloadHaltingly(port, random, halts));
        const digests = await Promise.all(clients).catch(async (cause) => {
          throw new Error(`seed ${seed}, the server says ${JSON.stringify(await state())}`, {
            cause,
          });
        });
        const digest = sha256(long);
        assertEquals(digests, digests.map(() => digest), `seed ${seed}`);
        assertEquals(await remainingFiles(root, processId), []);
        assertEquals((await state()).unhandled, 0);
      });
    }));

  const seconds = isThorough ? 60 : 5;
  test(`${api} server: 50 clients that read nothing for ${seconds} s hold no more than a chunk each`, () =>
    withFixture(async (root) => {
      await writeFile(join(root, "soak.bin"), large);
      await withServerProcess(api, root, async ({ port, processId, state }) => {
        await downloadPart(port, 4 * 2 ** 20);
        assertEquals(await remainingFiles(root, processId), []);
        const before = await state();
        const sockets = Array.from({ length: 50 }, () => {
          const socket = connect(port, "127.0.0.1");
          socket.pause();
          socket.on("error", () => {});
          socket.write(request);
          return socket;
        });
        let peak = 0;
        for (let second = 0; second < seconds; second++) {
          await new Promise((resolve) => setTimeout(resolve, 1000));
          peak = Math.max(peak, (await state()).rssMiB);
        }
        if (process.platform === "linux") assertEquals(openFiles(root, processId).length, 50);
        const closed = sockets.map((socket) =>
          new Promise<void>((resolve) => socket.once("close", () => resolve()))
        );
        for (const socket of sockets) socket.destroy();
        await Promise.all(closed);
        assertEquals(await remainingFiles(root, processId), []);
        assertEquals((await state()).unhandled, 0);
        const grown = peak - before.rssMiB;
        console.log(`${api}: RSS ${before.rssMiB.toFixed(1)} MiB, peak ${peak.toFixed(1)} MiB`);
        assert(grown < 64, `RSS grew by ${grown.toFixed(1)} MiB from ${before.rssMiB.toFixed(1)}`);
      });
    }));

  const readers = isThorough ? 200 : 20;
  const readSeconds = isThorough ? 75 : 4;
  test(`${api} server: ${readers} readers at 1 kB/s are not cut in ${readSeconds} s`, () =>
    withFixture(async (root) => {
      await writeFile(join(root, "soak.bin"), large);
      await withServerProcess(api, root, async ({ port, processId, state }) => {
        await assertStarts(port);
        const clients = Array.from({ length: readers }, () => connectSlowly(port, 1000));
        await new Promise((resolve) => setTimeout(resolve, 1000 * readSeconds));
        assertEquals(clients.filter(({ isClosed }) => isClosed).length, 0, "cut connections");
        assertEquals(clients.filter(({ taken }) => taken === 0).length, 0, "idle connections");
        if (process.platform === "linux") {
          assertEquals(openFiles(root, processId).length, readers);
        }
        for (const { socket } of clients) socket.destroy();
        assertEquals(await remainingFiles(root, processId), []);
        assertEquals((await state()).unhandled, 0);
      });
    }));

  const stalled = isThorough ? 1000 : 40;
  test(`${api} server: ${stalled} stalled connections are given up, with nothing left behind`, () =>
    withFixture(async (root) => {
      await writeFile(join(root, "soak.bin"), large);
      await withServerProcess(api, root, async ({ port, processId, state }) => {
        await assertStarts(port);
        const before = await state();
        const clients = Array.from({ length: stalled }, () => connectSlowly(port));
        await new Promise((resolve) => setTimeout(resolve, 1000));
        // They stay; their files do not.
        assertEquals(await remainingFiles(root, processId), []);
        for (const { socket } of clients) socket.destroy();
        await assertStarts(port);
        const after = await state();
        assertEquals(after.unhandled, 0);
        const sockets = openSockets(processId);
        assert(sockets < 20, `${sockets} sockets are open`);
        const grown = after.rssMiB - before.rssMiB;
        assert(grown < 64 + stalled / 2, `RSS grew by ${grown.toFixed(1)} MiB`);
      }, { idleTimeoutMs: 1000 });
    }));
}
