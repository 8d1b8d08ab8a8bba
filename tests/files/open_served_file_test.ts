import { assert, assertEquals } from "@std/assert";
import { mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Opened, openServedFile } from "../../src/files/open_served_file.ts";
import type { ServedFile } from "../../src/files/served_file.ts";
import { asPlatform } from "./as_platform.ts";
import { hasLinks } from "./fixture.ts";

async function withFile(use: (root: string, path: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "hosepipe-open-"));
  try {
    await use(root, join(root, "a.txt"));
  } finally {
    rmSync(root, { recursive: true });
  }
}

function asFile(opened: Opened): ServedFile {
  if (opened === undefined || opened === "folder") throw new Error("there is no file");
  return opened;
}

test("a file that was just written is opened once its stamp is old enough that a write would show", () =>
  withFile(async (root, path) => {
    for (let times = 0; times < 3; times++) {
      writeFileSync(path, `${times}`);
      const file = asFile(await openServedFile(root, ["a.txt"]));
      // Timers may fire a little early.
      assert(Date.now() - statSync(path).mtimeMs > 15);
      await file.close();
    }
  }));

test("what is promised of a file that is written while it is opened is what it then is", () =>
  withFile(async (root, path) => {
    writeFileSync(path, "one");
    const { now } = Date;
    // Its age is asked for after it has been looked at, and before it is waited for.
    Date.now = () => {
      Date.now = now;
      writeFileSync(path, "three");
      return statSync(path).mtimeMs;
    };
    try {
      const file = asFile(await openServedFile(root, ["a.txt"]));
      assertEquals(file.facts.size, 5);
      await file.close();
    } finally {
      Date.now = now;
    }
  }));

test("a file whose stamp lies in the future is not waited for", () =>
  withFile(async (root, path) => {
    writeFileSync(path, "one");
    // In whole seconds, which every system keeps.
    const future = new Date(Math.ceil(Date.now() / 1000) * 1000 + 1e9);
    utimesSync(path, future, future);
    const file = asFile(await openServedFile(root, ["a.txt"]));
    const { size, modifiedMs } = file.facts;
    assertEquals([size, modifiedMs], [3, statSync(path).mtimeMs]);
    await file.close();
  }));

test("without Linux's own word for where a file is, its path is looked up again", {
  skip: hasLinks ? false : "no links there",
}, () =>
  withFile(async (root, path) => {
    writeFileSync(path, "one");
    const outside = mkdtempSync(join(tmpdir(), "hosepipe-outside-"));
    writeFileSync(join(outside, "secret.txt"), "secret");
    symlinkSync(outside, join(root, "out"));
    try {
      await asPlatform("darwin", async () => {
        const file = asFile(await openServedFile(root, ["a.txt"]));
        assertEquals(file.facts.size, 3);
        await file.close();
        assertEquals(await openServedFile(root, ["out", "secret.txt"]), undefined);
      });
    } finally {
      rmSync(outside, { recursive: true });
    }
  }));
