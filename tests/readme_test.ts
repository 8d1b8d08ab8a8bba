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

test("the README's code runs as it is", async () => {
  const blocks = Array.from(text.matchAll(/```ts\n(.*?)```/gs), ([, code]) => code!);
  assertEquals(blocks.length, 1);
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-readme-"));
  const library = JSON.stringify(new URL("mod.ts", root).href);
  const { log } = console;
  try {
    for (const [index, code] of blocks.entries()) {
      const file = join(folder, `block_${index}.ts`);
      await writeFile(file, code.replace('"@hosepipe/streams"', library));
      const printed: unknown[] = [];
      console.log = (line) => void printed.push(line);
      await import(pathToFileURL(file).href);
      assertEquals(printed, ["Ada"]);
    }
  } finally {
    console.log = log;
    await rm(folder, { recursive: true });
  }
});

test("the first 60 lines answer six questions", () => {
  const first = text.split("\n").slice(0, 60).join(" ").replaceAll(/ +/g, " ");
  const answers: [question: string, answer: RegExp][] = [
    ["What is it?", /Stream pipelines for Deno, Bun, Node, workerd and browsers/],
    ["For whom?", /\*\*For whom\*\*: you move more data than fits in memory/],
    [
      "Faster than what, by how much, at five stages?",
      /in five stages: \*\*[\d.–]+×\*\* the speed of native Web Streams at (?:default|their best) highWaterMarks, \*\*[\d.–]+×\*\* that of `node:stream`/,
    ],
    ["How do I install it?", /`npm install @hosepipe\/streams`/],
    ["How do I stop it?", /pass `\{ signal \}`/],
    [
      "What happens on failure?",
      /the source is cancelled, the sink aborted, and `pipeline` rejects/,
    ],
  ];
  const open = answers.filter(([, answer]) => !answer.test(first)).map(([question]) => question);
  assertEquals(open, []);
});

test("figures of speed stand between generated marks only", () => {
  const typed = text.replaceAll(/<!-- generated:(\S+) -->.*?<!-- \/generated:\1 -->/gs, "");
  assertEquals(typed.match(/\d[\d.]* ?(?:×|x\b|times\b|%|KiB|ms\b)/g), null);
});

test("every entry point for users is linked", () => {
  for (const entry of ["node", "files", "queue", "testing", "workers", "formats"]) {
    assert(text.includes(`[\`@hosepipe/streams/${entry}\`](`), entry);
  }
});
