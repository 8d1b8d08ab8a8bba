import { assertEquals } from "@std/assert";
import { execFile } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { descriptors } from "../../../runtimes/descriptors.ts";
import { isThorough } from "../../lib/thorough.ts";

const runtime = currentRuntime().name;
// V8 collects as late as its limits allow, so garbage would outweigh what is held; who holds a file dies of these.
const v8Flags = ["--max-old-space-size=64", "--max-semi-space-size=2", "--single-threaded-gc"];
const runArguments = descriptors[runtime].runArguments(v8Flags);
const script = fileURLToPath(new URL("./_measure_memory.ts", import.meta.url));

// Long lines: as many bytes in flight as with short ones, at a time that a suite can afford.
const line = `id\t${"field one ".repeat(100)}\t${"field two ".repeat(100)}\trest\n`;
const block = new TextEncoder().encode(line.repeat(512));

async function makeInput(path: string, mebibytes: number): Promise<number> {
  const file = await open(path, "w");
  const blocks = Math.round(mebibytes * 1024 * 1024 / block.length);
  for (let index = 0; index < blocks; index++) await file.writeFile(block);
  await file.close();
  return blocks * 512;
}

async function measure(contestant: string, inputPath: string, lines: number): Promise<number> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...runArguments, script, contestant, inputPath],
  );
  const { linesRead, peakRssMiB } = JSON.parse(stdout);
  assertEquals(linesRead, lines);
  return peakRssMiB;
}

/** Ours, the loops, and the two that streams are known by; others keep what they read, and say so. */
const bounded = ["hand", "hand-streams", "pipeline", "pipeline-lines", "fuse", "web", "node"];

const [few, many] = isThorough ? [32, 128] : [16, 96];

const title =
  `ours and what is native hold no more at ${many} MiB than 1.3 times what it holds at ${few} MiB`;

test(title, { timeout: 600_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-memory-"));
  try {
    const [small, large] = [join(folder, "small"), join(folder, "large")];
    const [smallLines, largeLines] = [await makeInput(small, few), await makeInput(large, many)];
    const tooMuch: string[] = [];
    for (const name of bounded) {
      let atSmall = await measure(name, small, smallLines);
      let atLarge = await measure(name, large, largeLines);
      // A peak depends on when garbage is collected; what grows with its input is too high each time.
      for (let again = 0; again < 5 && atLarge > 1.3 * atSmall; again++) {
        atSmall = Math.max(atSmall, await measure(name, small, smallLines));
        atLarge = Math.min(atLarge, await measure(name, large, largeLines));
      }
      if (atLarge > 1.3 * atSmall) {
        tooMuch.push(`${name}: ${Math.round(atSmall)} MiB became ${Math.round(atLarge)} MiB`);
      }
    }
    assertEquals(tooMuch, []);
  } finally {
    await rm(folder, { recursive: true });
  }
});
