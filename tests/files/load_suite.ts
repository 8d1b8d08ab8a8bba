import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { open, rename, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type ServeApi, startServer } from "../../scenarios/serve/start_server.ts";
import { beginReading } from "./begin_reading.ts";
import { entityTag } from "../../src/files/entity_tag.ts";
import { largestKept } from "../../src/files/kept_files.ts";
import { hasLinks, pattern, withFixture } from "./fixture.ts";
import { openFiles, openSockets, remainingFiles } from "./open_files.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";
import { withServerProcess } from "./with_server_process.ts";
import { isThorough } from "../lib/thorough.ts";

const listen = { host: "127.0.0.1", port: 0 };
const line = (target: string, headers = "", method = "GET") =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`;

/** Makes a file of zeros that takes no room, with bytes of its own in some places. */
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

/** What servers are asked when there is much of something. */
export function loadSuite(api: ServeApi): void {
  test(`${api} server: a file of 5 GiB has its length, and ranges anywhere`, () =>
    withFixture(async (root) => {
      const size = 5 * 2 ** 30;
      const places = {
        0: "begin",
        [2 ** 31 - 2]: "2GiB",
        [2 ** 32 - 2]: "4GiB",
        [size - 3]: "end",
      };
      await makeSparse(join(root, "huge.bin"), size, places);
      const server = await startServer(api, { root }, listen);
      try {
        const ask = async (headers: string, method = "GET") =>
          parseResponse(await rawRequest(server.port, line("/huge.bin", headers, method)), method);
        const head = await ask("", "HEAD");
        assertEquals([head.status, head.headers.get("content-length")], [200, String(size)]);
        for (const [at, text] of Object.entries(places)) {
          const [first, last] = [Number(at), Number(at) + text.length - 1];
          const { status, headers, body } = await ask(`Range: bytes=${first}-${last}\r\n`);
          assertEquals([status, body.toString()], [206, text]);
          assertEquals(headers.get("content-range"), `bytes ${first}-${last}/${size}`);
        }
        assertEquals((await ask("Range: bytes=-3\r\n")).body.toString(), "end");
        assertEquals((await ask(`Range: bytes=${size}-\r\n`)).status, 416);
        const { body, headers } = await ask(`Range: bytes=-3,${2 ** 32 - 2}-${2 ** 32 + 1}\r\n`);
        assertEquals(/^multipart/.test(headers.get("content-type")!), true);
        assertEquals(body.toString().match(/\r\n\r\n(?:end|4GiB)\r\n/g)?.length, 2);
        const across = await ask(`Range: bytes=${2 ** 32 - 500_000}-${2 ** 32 + 499_999}\r\n`);
        assertEquals([across.isWhole, across.body.length], [true, 1_000_000]);
        assertEquals(across.body.toString("latin1", 499_998, 500_002), "4GiB");
        (await beginReading(server.port, line("/huge.bin"))).destroy();
        assertEquals(await remainingFiles(root), []);
      } finally {
        await server.close(0);
      }
    }));

  const idle = isThorough ? 5000 : 1000;
  test(`${api} server: ${idle} idle connections cost little, and others are answered`, () =>
    withFixture((root) =>
      withServerProcess(api, root, async ({ port, processId, state }) => {
        const ask = async () =>
          parseResponse(await rawRequest(port, line("/hello.txt"))).body.toString();
        assertEquals(await ask(), "hello world\n");
        const before = await state();
        const sockets: Socket[] = [];
        while (sockets.length < idle) {
          // As many at once as a server lets wait.
          const some = await Promise.all(Array.from({ length: 100 }, () => {
            const socket = connect(port, "127.0.0.1");
            socket.on("error", () => {});
            return new Promise<Socket>((resolve) => socket.once("connect", () => resolve(socket)));
          }));
          sockets.push(...some);
        }
        assertEquals(await ask(), "hello world\n");
        const after = await state();
        const openNow = openSockets(processId);
        const kibEach = (after.rssMiB - before.rssMiB) * 1024 / idle;
        for (const socket of sockets) socket.destroy();
        // Until the server has seen that they are gone, it may have no time for another before its own limit.
        while (openSockets(processId) > 100) await state();
        assertEquals(await ask(), "hello world\n");
        // Bun leaves the last 512 that say nothing with the system.
        assert(openNow === 0 || openNow > idle - 600, `${openNow} connections are open`);
        assert(kibEach < 40, `${kibEach} KiB for a connection`);
        assertEquals(after.unhandled, 0);
      }, { files: 12_000 })
    ));

  const halted = isThorough ? 1000 : 100;
  test(`${api} server: ${halted} clients that stand still in a large file all have begun, and cost little`, () =>
    withFixture(async (root) => {
      const content = pattern(16 * 2 ** 20);
      await writeFile(join(root, "long.bin"), content);
      await withServerProcess(api, root, async ({ port, processId, state }) => {
        assertEquals(parseResponse(await rawRequest(port, line("/hello.txt"))).status, 200);
        const before = await state();
        const sockets: Socket[] = [];
        while (sockets.length < halted) {
          // As many at once as a server lets wait: one more than that is reset.
          const some = Array.from({ length: 100 }, () => beginReading(port, line("/long.bin")));
          sockets.push(...await Promise.all(some));
        }
        const { rssMiB, unhandled, troubles } = await state();
        const mibEach = (rssMiB - before.rssMiB) / sockets.length;
        assert(mibEach < 0.75, `${mibEach} MiB for a client`);
        assertEquals([unhandled, troubles], [0, []]);
        assertEquals(parseResponse(await rawRequest(port, line("/hello.txt"))).status, 200);
        for (const socket of sockets) socket.destroy();
        assertEquals(await remainingFiles(root, processId), []);
      }, { files: 12_000 });
    }));

  test(`${api} server: answers under way end whole when it is closed, and no more begin`, () =>
    withFixture(async (root) => {
      const content = pattern(24 * 2 ** 20);
      await writeFile(join(root, "long.bin"), content);
      const sum = createHash("sha256").update(content).digest("hex");
      const server = await startServer(api, { root }, listen);
      const { promise: allBegun, resolve } = Promise.withResolvers<void>();
      const { promise: closing, resolve: setClosing } = Promise.withResolvers<void>();
      const count = isThorough ? 10 : 4;
      let begun = 0;
      const clients = Array.from({ length: count }, async () => {
        const bytes = await rawRequest(server.port, line("/long.bin"), {
          whilePaused() {
            if (++begun === count) resolve();
            return closing;
          },
        });
        const { body, isWhole } = parseResponse(bytes);
        return [isWhole, createHash("sha256").update(body).digest("hex")];
      });
      await allBegun;
      assert(openFiles(root).length > 0, "answers are under way");
      const closed = server.close(120_000);
      const refused = parseResponse(await rawRequest(server.port, line("/hello.txt")));
      assertEquals(refused.status, 0);
      setClosing();
      for (const client of clients) assertEquals(await client, [true, sum]);
      await closed;
      assertEquals(await remainingFiles(root), []);
    }));

  if (!hasLinks) return;
  for (
    const [what, size] of [["small, kept", 4000], [
      "large",
      isThorough ? 700_000 : 300_000,
    ]] as const
  ) {
    test(`${api} server: a file that is replaced all the time is one or the other: ${what}`, () =>
      withFixture(async (root, base) => {
        // A large one takes more than one chunk.
        const contents = ["a", "b"].map((letter) =>
          Buffer.from(letter.repeat(size + letter.charCodeAt(0)))
        );
        for (const [index, content] of contents.entries()) {
          await writeFile(join(root, `${index}.bin`), content);
          await utimes(join(root, `${index}.bin`), 1e9 + index, 1e9 + index);
        }
        await writeFile(join(base, "secret.txt"), "SECRET\n".repeat(size));
        const server = await startServer(api, { root }, listen);
        let isOver = false;
        const replace = async () => {
          for (let round = 0; !isOver; round++) {
            // A name that is there all the time: now one, now the other, now a link to what is outside.
            const kind = round % 3;
            const name = join(root, "new.bin");
            if (kind < 2) await symlink(`${kind}.bin`, name);
            else await symlink("../secret.txt", name);
            await rename(name, join(root, "now.bin"));
          }
        };
        const replacing = replace();
        try {
          const seen = new Set<string>();
          const ask = async () => {
            const { status, body, headers, isWhole } = parseResponse(
              await rawRequest(server.port, line("/now.bin")),
            );
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
            await Promise.all(Array.from({ length: 8 }, ask));
          }
          assertEquals([...seen].sort(), ["200 a", "200 b", "404 "]);
        } finally {
          isOver = true;
          await replacing;
          await unlink(join(root, "now.bin"));
          await server.close(0);
        }
        assertEquals(await remainingFiles(root), []);
      }));
  }
}
