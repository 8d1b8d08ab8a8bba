import { Buffer } from "node:buffer";
import { open, rename, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { serveApis } from "../../scenarios/serve/start_server.ts";
import { ask, beginReading, parseResponse, rawRequest, requestText } from "./raw_request.ts";
import { entityTag } from "../../src/files/entity_tag.ts";
import { largestKept } from "../../src/files/kept_files.ts";
import { hasLinks, pattern } from "./fixture.ts";
import { openFiles, openSockets } from "./open_files.ts";
import { long, withOwnServer, withServerProcess } from "./with_server_process.ts";
import { isThorough } from "../lib/thorough.ts";

/** A file of zeros that takes no room, with bytes of its own in some places. */
async function makeSparse(path: string, size: number, places: Readonly<Record<number, string>>) {
  const file = await open(path, "w");
  try {
    await file.truncate(size);
    for (const [at, text] of Object.entries(places)) {
      await file.write(Buffer.from(text), 0, text.length, Number(at));
    }
  } finally {
    await file.close();
  }
}

const [idle, halted] = isThorough ? [5000, 1000] : [1000, 100];

/** As many clients at once as a server lets wait: one more than that is reset. */
async function connectMany(count: number, begin: () => Promise<Socket>): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    sockets.push(...await Promise.all(Array.from({ length: 100 }, begin)));
  }
  return sockets;
}

function connectIdle(port: number): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const socket = connect(port, "127.0.0.1", () => resolve(socket));
  socket.on("error", () => {});
  return promise;
}

for (const api of serveApis) {
  test(`${api} server: a file of 5 GiB has its length, and ranges anywhere`, () =>
    withOwnServer(api, async ({ root, port }) => {
      const size = 5 * 2 ** 30;
      const places = {
        0: "begin",
        [2 ** 31 - 2]: "2GiB",
        [2 ** 32 - 2]: "4GiB",
        [size - 3]: "end",
      };
      await makeSparse(join(root, "huge.bin"), size, places);
      const askRange = (range: string) => ask(port, "/huge.bin", { Range: `bytes=${range}` });
      const head = await ask(port, "/huge.bin", {}, "HEAD");
      assertEquals([head.status, head.headers.get("content-length")], [200, String(size)]);
      for (const [at, text] of Object.entries(places)) {
        const range = `${at}-${Number(at) + text.length - 1}`;
        const { status, headers, body } = await askRange(range);
        assertEquals([status, body.toString()], [206, text]);
        assertEquals(headers.get("content-range"), `bytes ${range}/${size}`);
      }
      assertEquals((await askRange("-3")).body.toString(), "end");
      assertEquals((await askRange(`${size}-`)).status, 416);
      const { body } = await askRange(`-3,${2 ** 32 - 2}-${2 ** 32 + 1}`);
      assertEquals(body.toString().match(/\r\n\r\n(?:end|4GiB)\r\n/g)?.length, 2);
      const across = await askRange(`${2 ** 32 - 500_000}-${2 ** 32 + 499_999}`);
      assertEquals([across.isWhole, across.body.length], [true, 1_000_000]);
      assertEquals(across.body.toString("latin1", 499_998, 500_002), "4GiB");
      (await beginReading(port, requestText("/huge.bin"))).destroy();
    }));

  test(`${api} server: ${idle} idle connections cost little, and others are answered`, () =>
    withServerProcess(api, async ({ port, processId, state, assertAnswers }) => {
      const before = await state();
      const sockets = await connectMany(idle, () => connectIdle(port));
      await assertAnswers();
      const after = await state();
      const openNow = openSockets(processId);
      const kibEach = (after.rssMiB - before.rssMiB) * 1024 / idle;
      for (const socket of sockets) socket.destroy();
      // Until the server has seen that they are gone, it may have no time for another before its own limit.
      while (openSockets(processId) > 100) await state();
      await assertAnswers();
      // Bun leaves the last 512 that say nothing with the system.
      assert(openNow === 0 || openNow > idle - 600, `${openNow} connections are open`);
      assert(kibEach < 40, `${kibEach} KiB for a connection`);
    }, { files: 12_000 }));

  test(`${api} server: ${halted} clients that stand still in a large file all have begun, and cost little`, () =>
    withServerProcess(api, async ({ port, state, assertAnswers }) => {
      const before = await state();
      const sockets = await connectMany(
        halted,
        () => beginReading(port, requestText("/long.bin")),
      );
      const { rssMiB, troubles } = await state();
      const mibEach = (rssMiB - before.rssMiB) / sockets.length;
      assert(mibEach < 0.75, `${mibEach} MiB for a client`);
      assertEquals(troubles, []);
      await assertAnswers();
      for (const socket of sockets) socket.destroy();
    }, { files: 12_000, long: pattern(16 * 2 ** 20) }));

  test(`${api} server: answers under way end whole when it is closed, and no more begin`, () =>
    withOwnServer(api, async ({ root, port, close }) => {
      const { promise: allBegun, resolve } = Promise.withResolvers<void>();
      const { promise: closing, resolve: setClosing } = Promise.withResolvers<void>();
      const count = isThorough ? 10 : 4;
      let begun = 0;
      const clients = Array.from({ length: count }, async () => {
        const bytes = await rawRequest(port, requestText("/long.bin"), {
          whilePaused() {
            if (++begun === count) resolve();
            return closing;
          },
        });
        const { body, isWhole } = parseResponse(bytes);
        return isWhole && body.equals(long);
      });
      await allBegun;
      assert(openFiles(root).length > 0, "answers are under way");
      const closed = close(120_000);
      assertEquals((await ask(port, "/hello.txt")).status, 0);
      setClosing();
      assertEquals(await Promise.all(clients), clients.map(() => true));
      await closed;
    }));

  // A large one takes more than one chunk.
  for (const size of hasLinks ? [4000, isThorough ? 700_000 : 300_000] : []) {
    test(`${api} server: a file of ${size} bytes that is replaced all the time is one or the other`, () =>
      withOwnServer(api, async ({ root, base, port }) => {
        const contents = ["a", "b"].map((letter) =>
          Buffer.from(letter.repeat(size + letter.charCodeAt(0)))
        );
        for (const [index, content] of contents.entries()) {
          await writeFile(join(root, `${index}.bin`), content);
          await utimes(join(root, `${index}.bin`), 1e9 + index, 1e9 + index);
        }
        await writeFile(join(base, "secret.txt"), "SECRET\n".repeat(size));
        let isOver = false;
        const replacing = (async () => {
          // A name that is there all the time: now one, now the other, now a link to what is outside.
          for (let round = 0; !isOver; round++) {
            const name = join(root, "new.bin");
            await symlink(["0.bin", "1.bin", "../secret.txt"][round % 3]!, name);
            await rename(name, join(root, "now.bin"));
          }
        })();
        try {
          const seen = new Set<string>();
          const look = async () => {
            const { status, body, headers, isWhole } = await ask(port, "/now.bin");
            seen.add(`${status} ${body[0] === 97 ? "a" : body[0] === 98 ? "b" : ""}`);
            assert(isWhole && !body.includes("SECRET"));
            if (status !== 200) return assertEquals(status, 404);
            const index = contents.findIndex((one) => one.equals(body));
            assert(index >= 0, "a mixture");
            // The tag and the length are those of the body.
            const { opaque: tag } = entityTag(
              { size: body.length, modifiedMs: (1e9 + index) * 1000, changedMs: 0 },
              Date.now(),
              "",
              body.length <= largestKept ? contents[index]! : undefined,
            );
            assertEquals(headers.get("etag"), tag);
          };
          for (let round = 0; round < 30 || seen.size < 3 && round < 500; round++) {
            await Promise.all(Array.from({ length: 8 }, look));
          }
          assertEquals([...seen].sort(), ["200 a", "200 b", "404 "]);
        } finally {
          isOver = true;
          await replacing;
          await unlink(join(root, "now.bin"));
        }
      }));
  }
}
