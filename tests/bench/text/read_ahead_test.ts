import { assertEquals, assertRejects } from "@std/assert";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readAhead } from "../../../bench/text/read_ahead.ts";
import { chunkSize, readChunks } from "../../../bench/text/read_chunks.ts";
import { inFolder } from "../../lib/in_folder.ts";

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}

test("readAhead gives what readChunks gives, of a file of any size", () =>
  inFolder(async (folder) => {
    const path = join(folder, "input");
    for (const size of [0, 1, chunkSize, chunkSize + 1, 3 * chunkSize]) {
      await writeFile(path, Uint8Array.from({ length: size }, (_, index) => index % 251));
      const [ahead, chunks] = [readAhead(path), readChunks(path)];
      assertEquals(await Array.fromAsync(ahead), await Array.fromAsync(chunks));
    }
  }));

test("readAhead reads no more than one chunk before it is asked for it", () =>
  inFolder(async (folder) => {
    const path = join(folder, "input");
    await writeFile(path, new Uint8Array(4 * chunkSize));
    const chunks = readAhead(path);
    await chunks.next();
    await turns(50);
    // The third chunk is gone, unless it was read before.
    await truncate(path, 2 * chunkSize);
    assertEquals((await Array.fromAsync(chunks)).length, 1);
  }));

test("readAhead closes its file when it is left early", () =>
  inFolder(async (folder) => {
    const path = join(folder, "input");
    await writeFile(path, new Uint8Array(3 * chunkSize));
    // More than a process may have open.
    for (let time = 0; time < 300; time++) {
      for await (const _chunk of readAhead(path)) break;
    }
    const chunks = readAhead(path);
    assertEquals((await chunks.next()).done, false);
    await chunks.return(undefined);
  }));

test("readAhead fails where it is read, and nowhere else", () =>
  inFolder(async (folder) => {
    const missing = readAhead(join(folder, "missing"));
    await assertRejects(() => missing.next(), Error, "ENOENT");
    const unread = readAhead(join(folder, "missing"));
    await unread.return(undefined);
    const directory = readAhead(folder);
    await assertRejects(() => Array.fromAsync(directory), Error);
    await turns(3);
  }));
