import { inFolder } from "../lib/in_folder.ts";
import { Buffer } from "node:buffer";
import { chmod, mkdir, rename, rm, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { fileHandler } from "../../src/files/file_handler.ts";
import { KeptFiles, largestKept } from "../../src/files/kept_files.ts";
import { changeShowsMs, lookAtFile, lookAtFileSync } from "../../src/files/look_at_file.ts";
import { hasLinks, modifiedSeconds, pattern, withFixture } from "./fixture.ts";
import { hosts } from "./hosts.ts";
import { ask } from "./raw_request.ts";

const past = modifiedSeconds;
const options = { maxBytes: 16 * 2 ** 20, maxAgeMs: 0 };

/** Writes a file of the past. */
async function put(root: string, name: string, content: string | Uint8Array): Promise<void> {
  await writeFile(join(root, name), content);
  await utimes(join(root, name), past, past);
}

/** Waits until any later change is sure to show. */
const settle = () => new Promise((resolve) => setTimeout(resolve, changeShowsMs + 20));

async function keep(kept: KeptFiles, root: string, name: string): Promise<void> {
  const look = (await lookAtFile(join(root, name)))!;
  const seenAtMs = Date.now() + changeShowsMs;
  await kept.keep(name, new Uint8Array(look.size), { ...look, seenAtMs });
}

test("both ways of looking at a file see the same, and nothing where there is nothing", () =>
  inFolder(async (root) => {
    await put(root, "a", "x");
    const now = lookAtFileSync(join(root, "a"))!;
    const later = (await lookAtFile(join(root, "a")))!;
    assertEquals([now.isFile, now.size, later.isFile, later.size], [true, 1, true, 1]);
    assertEquals([now.device, now.inode], [later.device, later.inode]);
    assert(Math.abs(now.modifiedMs - later.modifiedMs) <= 1);
    assert(Math.abs(now.changedMs - later.changedMs) <= 1);
    for (const name of ["nowhere", "a/b", "\0", "x".repeat(300)]) {
      assertEquals(lookAtFileSync(join(root, name)), undefined);
      assertEquals(await lookAtFile(join(root, name)), undefined);
    }
  }));

test("what is kept is found until its path leads to something else", () =>
  inFolder(async (root) => {
    const kept = new KeptFiles(root, options);
    const changes: Record<string, (path: string) => Promise<unknown>> = {
      "written to": (path) => writeFile(path, "other"),
      "replaced": async (path) => {
        await writeFile(`${path}.new`, "other");
        await rename(`${path}.new`, path);
      },
      "removed": (path) => rm(path),
      ...(!hasLinks ? {} : {
        "written to, and its time set back": () =>
          put(root, "written to, and its time set back", "OTHER"),
        "moved, with a link in its place": async (path) => {
          await rename(path, `${path}.moved`);
          await symlink(`${path}.moved`, path);
        },
        "made unreadable": (path) => chmod(path, 0),
      }),
    };
    const names = Object.keys(changes);
    for (const name of names) await put(root, name, "first");
    await settle();
    for (const name of names) {
      await keep(kept, root, name);
      assert(typeof await kept.find(name) === "object", name);
      await changes[name]!(join(root, name));
      assertEquals(typeof await kept.find(name), name === "removed" ? "string" : "undefined", name);
      assertEquals(kept.bytes, 0);
    }
    assertEquals(await kept.find("a"), "absent");
  }));

test("what may still be changing, has changed since, is no file, or is large is not kept", () =>
  inFolder(async (root) => {
    const kept = new KeptFiles(root, options);
    await put(root, "a", "first");
    const look = (await lookAtFile(join(root, "a")))!;
    const bytes = new Uint8Array(5);
    const now = Date.now() + changeShowsMs;
    for (
      const opened of [
        { ...look, modifiedMs: now - 1999 },
        { ...look, changedMs: now - changeShowsMs + 1 },
        { ...look, modifiedMs: now + 60_000 },
        { ...look, changedMs: NaN },
        { ...look, size: 4 },
        { ...look, inode: look.inode + 1 },
        { ...look, device: look.device + 1 },
        { ...look, modifiedMs: look.modifiedMs - 2 },
        { ...look, changedMs: look.changedMs - 2000 },
      ]
    ) {
      await kept.keep("a", bytes, { ...opened, seenAtMs: now });
      assertEquals(await kept.find("a"), undefined, JSON.stringify(opened));
    }
    await kept.keep("a", new Uint8Array(largestKept + 1), { ...look, seenAtMs: now });
    assertEquals(kept.bytes, 0);
    await kept.keep("a", bytes, { ...look, seenAtMs: now + changeShowsMs });
    assertEquals(typeof await kept.find("a"), "object");
  }));

test("beyond maxBytes the oldest go, and those in use stay", () =>
  inFolder(async (root) => {
    const kept = new KeptFiles(root, { maxBytes: 3 * 2048, maxAgeMs: 0 });
    for (const name of ["a", "b", "c", "d"]) await put(root, name, new Uint8Array(1000));
    for (const name of ["a", "b", "c"]) await keep(kept, root, name);
    await kept.find("a");
    await keep(kept, root, "d");
    const found = async () => {
      let names = "";
      for (const name of "abcd") if (typeof await kept.find(name) === "object") names += name;
      return names;
    };
    assert(kept.bytes <= 3 * 2048);
    assertEquals(await found(), "acd");
    // One that does not fit alone is not kept, and pushes nothing out.
    await put(root, "e", new Uint8Array(9000));
    await keep(kept, root, "e");
    assertEquals(await found(), "acd");
    // A thousand that are all in use do not keep the newest out for ever.
    for (let round = 0; round < 50; round++) {
      await keep(kept, root, ["a", "b", "c", "d"][round % 4]!);
      await found();
      assert(kept.bytes <= 3 * 2048);
    }
  }));

test("within maxAgeMs a file is not looked at again", () =>
  inFolder(async (root) => {
    const kept = new KeptFiles(root, { maxBytes: 2 ** 20, maxAgeMs: 3_600_000 });
    await put(root, "a", "first");
    await keep(kept, root, "a");
    await rm(join(root, "a"));
    assertEquals(typeof await kept.find("a"), "object");
  }));

const get = (target: string, headers: Record<string, string> = {}, method = "GET") =>
  new Request(`http://localhost${target}`, { method, headers });

test("a kept file is answered from memory: no open file is needed", () =>
  inFolder(async (root) => {
    await put(root, "a.txt", "first");
    await put(root, "index.html", "page");
    await put(root, "large.bin", pattern(300_000));
    await settle();
    // The only place is taken, so that what needs a file is refused.
    const files = fileHandler(root, { maxOpenFiles: 1, queueMs: 0, chunkSize: 1024 });
    const seen = async (headers: Record<string, string> = {}, method = "GET") => {
      const response = await files(get("/a.txt", headers, method));
      return [response.status, await response.text()];
    };
    assertEquals(await seen(), [200, "first"]);
    assertEquals(await (await files(get("/"))).text(), "page");
    const etag = (await files(get("/a.txt"))).headers.get("etag")!;
    const held = await files(get("/large.bin"));
    assertEquals((await files(get("/large.bin"))).status, 503);
    for (let round = 0; round < 3; round++) {
      assertEquals(await seen(), [200, "first"]);
      assertEquals(await seen({}, "HEAD"), [200, ""]);
      assertEquals(await (await files(get("/"))).text(), "page");
      assertEquals(await seen({ range: "bytes=1-2" }), [206, "ir"]);
      assertEquals(await seen({ range: "bytes=9-" }), [416, "Range Not Satisfiable\n"]);
      assertEquals(await seen({ "if-none-match": etag }), [304, ""]);
      assertEquals(await seen({ "if-match": '"other"' }), [412, "Precondition Failed\n"]);
    }
    await held.body!.cancel();
    const opening = fileHandler(root, {
      cache: false,
      maxOpenFiles: 1,
      queueMs: 0,
      chunkSize: 1024,
    });
    const other = await opening(get("/large.bin"));
    assertEquals((await opening(get("/a.txt"))).status, 503);
    await other.body!.cancel();
  }));

test("what a client does with a body changes no other answer", () =>
  inFolder(async (root) => {
    await put(root, "a.bin", pattern(60_000));
    await settle();
    const files = fileHandler(root);
    const headers: Record<string, string>[] = [{}, { range: "bytes=0-9999" }];
    for (const range of headers) {
      for (let round = 0; round < 4; round++) {
        const bytes = await (await files(get("/a.bin", range))).bytes();
        assert(Buffer.from(bytes).equals(pattern(60_000).subarray(0, bytes.length)));
        bytes.fill(0);
        const reader = (await files(get("/a.bin", range))).body!.getReader();
        const { value } = await reader.read();
        value!.fill(0);
        await reader.cancel();
        structuredClone(value!.buffer, { transfer: [value!.buffer] });
      }
    }
  }));

test("headers that a function gives are asked for each time", () =>
  inFolder(async (root) => {
    await put(root, "a.txt", "first");
    await settle();
    let count = 0;
    const files = fileHandler(root, { headers: () => ({ "x-count": String(++count) }) });
    for (const wanted of ["1", "2", "3"]) {
      assertEquals((await files(get("/a.txt"))).headers.get("x-count"), wanted);
    }
  }));

const br = { "Accept-Encoding": "br" };

/** What a path comes to lead to: the change, what is answered then, of which path, and what was answered before. */
const changes: Record<
  string,
  [
    change: (at: (name: string) => string) => Promise<unknown>,
    wanted: string,
    target?: string,
    before?: string,
    headers?: Record<string, string>,
  ]
> = {
  "a coding beside it": [
    async (at) => {
      await writeFile(at("hello.txt.br"), "in br\n");
      await utimes(at("hello.txt.br"), past, past);
    },
    "200 in br",
    "/hello.txt",
    "200 hello world",
    br,
  ],
  "no coding beside it": [
    (at) => unlink(at("hello.txt.br")),
    "200 hello world",
    "/hello.txt",
    "200 in br",
    br,
  ],
  "other bytes of the same length and time": [async (at) => {
    await writeFile(at("hello.txt"), "HELLO WORLD\n");
    await utimes(at("hello.txt"), past, past + 0.5);
  }, "200 HELLO WORLD"],
  "a link to another file": [
    async (at) => {
      await unlink(at("link-inside.txt"));
      await symlink("page.html", at("link-inside.txt"));
    },
    "200 <!doctype html>",
    "/link-inside.txt",
    "200 HELLO WORLD",
  ],
  "a link that leads outside": [
    async (at) => {
      await rename(at("hello.txt"), at("hello.old"));
      await symlink("../secret.txt", at("hello.txt"));
    },
    "404 Not Found",
    "/hello.txt",
    "200 HELLO WORLD",
  ],
  "a link to the same file, moved outside": [
    async (at) => {
      await rename(at("data.json"), at("../data.json"));
      await symlink("../data.json", at("data.json"));
    },
    "404 Not Found",
    "/data.json",
    "200 {}",
  ],
  "a folder in the way outside": [
    async (at) => {
      await rename(at("sub"), at("sub.old"));
      await symlink("../outside", at("sub"));
    },
    "404 Not Found",
    "/sub/inner.txt",
    "200 inner",
  ],
  "a folder in its place": [
    async (at) => {
      await unlink(at("page.html"));
      await mkdir(at("page.html"));
    },
    "404 Not Found",
    "/page.html",
    "200 <!doctype html>",
  ],
  "nothing": [
    (at) => rm(at("unknown.zzz")),
    "404 Not Found",
    "/unknown.zzz",
    "200 ?",
  ],
};

for (const host of hosts) {
  test(`${host.name}: an answer shows what its path leads to now`, () =>
    withFixture(async (root) => {
      await settle();
      for (
        const [what, [change, wanted, target = "/hello.txt", before = "200 hello world", headers]]
          of Object.entries(changes)
      ) {
        await using server = await host.start(root, { precompressed: true }, true);
        const look = async () => {
          const { status, body } = await ask(server.port, target, headers);
          return `${status} ${body.toString().trim()}`;
        };
        const seen = [await look(), await look()];
        await change((name) => join(root, name));
        assertEquals([...seen, await look()], [before, before, wanted], what);
      }
    }));
}
