import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openLineSink } from "../../../bench/text/open_line_sink.ts";
import { withLineSink } from "../../../bench/text/with_line_sink.ts";

async function withPath(use: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-test-"));
  try {
    await use(join(folder, "output"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("openLineSink() answers with a promise only once 64 KiB wait", () =>
  withPath(async (path) => {
    const sink = await openLineSink(path);
    const line = "x".repeat(1023) + "\n";
    for (let index = 0; index < 63; index++) assertEquals(sink.write(line), undefined);
    assertEquals((await readFile(path)).length, 0);
    const written = sink.write(line);
    assertEquals(written instanceof Promise, true);
    assertThrows(() => sink.write(line), Error, "the previous write is still under way");
    await written;
    assertEquals((await readFile(path)).length, 65_536);
    await sink.close();
    await sink.close();
    assertThrows(() => sink.write(line), Error, "the sink is closed");
  }));

test("openLineSink() writes lines longer than its buffer, characters whole", () =>
  withPath(async (path) => {
    const lines = ["é😀汉".repeat(50_000), "", "\n", "x😀".repeat(40_000)];
    await withLineSink(path, async (sink) => {
      for (const line of lines) await sink.write(line);
    });
    assertEquals(await readFile(path, "utf8") === lines.join(""), true);
  }));

test("withLineSink() removes the file and gives the very error, undefined included", () =>
  withPath(async (path) => {
    let caught: unknown = "nothing";
    await withLineSink(path, async (sink) => {
      await sink.write("line\n");
      throw undefined;
    }).catch((error) => caught = error);
    assertEquals(caught, undefined);
    await assertRejects(() => access(path), Error);
  }));

test("withLineSink() does not call an aborted sink a success", () =>
  withPath(async (path) => {
    await assertRejects(
      () => withLineSink(path, (sink) => sink.abort()),
      Error,
      "Cannot close line sink: it was aborted",
    );
  }));
