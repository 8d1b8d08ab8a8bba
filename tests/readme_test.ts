import { assert, assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const root = new URL("../", import.meta.url);
const text = await readFile(new URL("README.md", root), "utf8");

test("the README has at most 120 lines", () => {
  const lines = text.split("\n").length - 1;
  assert(lines <= 120, `it has ${lines}`);
});

test("links of the README are absolute and lead to files of the project", () => {
  const targets = [...text.matchAll(/\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g)]
    .map(([, link, image]) => (link ?? image)!);
  assert(targets.length > 10);
  for (const target of targets) {
    const path =
      /^https:\/\/(?:github\.com\/hosepipe\/streams\/blob|raw\.githubusercontent\.com\/hosepipe\/streams)\/main\/([^#]+)/
        .exec(target)?.[1];
    assert(path !== undefined, `${target} is not absolute`);
    assert(existsSync(new URL(path!, root)), `${target} leads nowhere`);
  }
});

test("the README's first lines of code run as they are and print what they should", async () => {
  const [, code] = /```ts\n(.*?)```/s.exec(text)!;
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-readme-"));
  const file = join(folder, "first.ts");
  const library = JSON.stringify(new URL("mod.ts", root).href);
  await writeFile(file, code!.replace('"@hosepipe/streams"', library));
  const printed: unknown[] = [];
  const { log } = console;
  console.log = (line) => void printed.push(line);
  try {
    await import(pathToFileURL(file).href);
  } finally {
    console.log = log;
    await rm(folder, { recursive: true });
  }
  assertEquals(printed, ["Ada", "Alan", "Grace"]);
});
