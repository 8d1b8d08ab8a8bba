import { renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { rename, utimes, writeFile } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { fileHandler } from "../../src/files/file_handler.ts";
import { largestKept } from "../../src/files/kept_files.ts";
import { sendFile } from "../../src/files/send_file.ts";
import { fileHandler as nodeFileHandler } from "../../src/files/node/file_handler.ts";
import { sendFile as sendNodeFile } from "../../src/files/node/send_file.ts";
import { checkPath } from "../../src/files/check_path.ts";
import { serveModes } from "../../src/files/read_settings.ts";
import { bigBytes, hasLinks, pattern, withFixture } from "./fixture.ts";
import { openFiles, remainingFiles } from "./open_files.ts";
import { pathToFileURL } from "node:url";

test("a path or a file: URL is made absolute at once, and anything else is refused", () => {
  const path = resolve("some where", "a%.txt");
  assertEquals(checkPath("serve", "root", path), path);
  assertEquals(checkPath("serve", "root", pathToFileURL(path)), path);
  assertEquals(checkPath("serve", "root", `some where${sep}a%.txt`), path);
  for (const bad of ["", undefined, null, 1, {}, new URL("http://localhost/a.txt")]) {
    assertThrows(
      () => checkPath("serve", "root", bad),
      TypeError,
      "Cannot serve: root must be a path or a file: URL",
    );
  }
});

const get = (target: string, headers: Record<string, string> = {}, method = "GET") =>
  new Request(`http://localhost${target}`, { method, headers });

for (const mode of serveModes) {
  test(`mode ${mode}: any range of any chunk size is the slice it names`, () =>
    withFixture(async (root) => {
      const size = bigBytes.length;
      await fc.assert(
        fc.asyncProperty(
          fc.nat(size + 10),
          fc.nat(size + 10),
          fc.constantFrom("between", "from", "last"),
          fc.integer({ min: 1000, max: 100_000 }),
          async (one, other, kind, chunkSize) => {
            const handler = fileHandler(root, { mode, chunkSize });
            const [first, last] = [Math.min(one, other), Math.max(one, other)];
            const [range, wanted] = kind === "between"
              ? [`${first}-${last}`, bigBytes.subarray(first, last + 1)]
              : kind === "from"
              ? [`${first}-`, bigBytes.subarray(first)]
              : [`-${last + 1}`, bigBytes.subarray(Math.max(0, size - last - 1))];
            const response = await handler(get("/big.bin", { Range: `bytes=${range}` }));
            assertEquals(response.status, wanted.length === 0 ? 416 : 206);
            const body = new Uint8Array(await response.arrayBuffer());
            if (response.status === 206) {
              assert(wanted.equals(body), `bytes=${range}`);
              assertEquals(response.headers.get("content-length"), String(body.length));
            }
          },
        ),
        { numRuns: 200 },
      );
      assertEquals(openFiles(root), []);
    }));
}

test("a root that goes missing is 404", async () => {
  assertEquals((await fileHandler("/nowhere/at/all")(get("/hello.txt"))).status, 404);
});

test("a file that is overwritten between two chunks fails the body, is closed, and is told of", () =>
  withFixture(async (root) => {
    const told: unknown[] = [];
    const handler = fileHandler(root, { onError: (error, { url }) => told.push([url, error]) });
    const response = await handler(get("/big.bin"));
    const defaultReader = response.body!.getReader();
    const { value } = await defaultReader.read();
    assertEquals(value?.length, 262144);
    await writeFile(join(root, "big.bin"), new Uint8Array(bigBytes.length), { flag: "r+" });
    const error = await assertRejects(() => defaultReader.read(), Error, "overwritten");
    assertEquals(error.name, "FileChangedError");
    assertEquals(told, [["http://localhost/big.bin", error]]);
    assertEquals(await remainingFiles(root), []);
  }));

test("an answer whose file changes before anything was sent is made anew", () =>
  withFixture(async (root) => {
    const path = join(root, "busy.txt");
    // Each is shorter than the last: what has grown when it is looked at counts as appended to.
    const textOf = (version: number) => `${version % 10}`.repeat(50_000 - version);
    await writeFile(path, textOf(0));
    const handler = fileHandler(root, { onError: (error) => assertEquals(error, undefined) });
    let version = 0;
    const timer = setInterval(() => writeFileSync(path, textOf(++version)), 30);
    try {
      for (let count = 0; count < 40; count++) {
        const body = await (await handler(get("/busy.txt"))).text();
        const isWhole = body === textOf(50_000 - body.length);
        assert(isWhole || body === "", `a mixture of ${body.length} bytes`);
      }
    } finally {
      clearInterval(timer);
    }
  }));

test("a large file's tag is weak right after a change, and a range by it is refused", () =>
  withFixture(async (root) => {
    const handler = fileHandler(root);
    await writeFile(join(root, "fresh.bin"), pattern(largestKept + 1));
    const tag = (await handler(get("/fresh.bin"))).headers.get("etag")!;
    assertEquals(tag.startsWith('W/"'), true);
    const ranged = await handler(get("/fresh.bin", { "Range": "bytes=0-1", "If-Range": tag }));
    assertEquals(ranged.status, 200);
    assertEquals((await handler(get("/fresh.bin", { "If-None-Match": tag }))).status, 304);
    await ranged.body?.cancel();
  }));

test("files that all have one time are not taken for what they were", () =>
  withFixture(async (root) => {
    const one = 1;
    const put = async (name: string, bytes: Uint8Array) => {
      // As a new version comes to its place: another file by the same name.
      await writeFile(join(root, "new"), bytes);
      await utimes(join(root, "new"), one, one);
      await rename(join(root, "new"), join(root, name));
    };
    for (const options of [{}, { cache: false }] as const) {
      const handler = fileHandler(root, options);
      for (const size of [10, largestKept + 1]) {
        await put("nix.js", new Uint8Array(size).fill(97));
        const before = await handler(get("/nix.js"));
        const tag = before.headers.get("etag")!;
        const date = before.headers.get("last-modified");
        await before.body?.cancel();
        assertEquals(date, null);
        assertEquals((await handler(get("/nix.js", { "If-None-Match": tag }))).status, 304);
        // The clock of a change ticks by the second where a tag is of a large file.
        if (size > largestKept) await new Promise((resolve) => setTimeout(resolve, 1100));
        await put("nix.js", new Uint8Array(size).fill(98));
        const headers = { "If-None-Match": tag, "If-Modified-Since": new Date(1e12).toUTCString() };
        const after = await handler(get("/nix.js", headers));
        assertEquals([after.status, (await after.bytes())[0]], [200, 98]);
        const dated = { "If-Modified-Since": new Date(1e12).toUTCString() };
        const again = await handler(get("/nix.js", dated));
        assertEquals(again.status, 200);
        await again.body?.cancel();
      }
    }
  }));

test("what lies encoded beside a file is sent unless it is older", () =>
  withFixture(async (root) => {
    const accept = { "Accept-Encoding": "gzip, br" };
    const codingOf = async (handler: (request: Request) => Promise<Response>) => {
      const response = await handler(get("/app.js", accept));
      await response.body?.cancel();
      return response.headers.get("content-encoding");
    };
    for (const size of [10, largestKept + 1]) {
      const handler = fileHandler(root, { precompressed: true });
      for (const name of ["app.js", "app.js.gz", "app.js.br"]) {
        await writeFile(join(root, name), new Uint8Array(size));
      }
      const setTimes = async (plain: number, gzip: number, brotli: number) => {
        await utimes(join(root, "app.js"), plain, plain);
        await utimes(join(root, "app.js.gz"), gzip, gzip);
        await utimes(join(root, "app.js.br"), brotli, brotli);
      };
      for (let round = 0; round < 2; round++) {
        await setTimes(1e9, 1e9 - 0.5, 1e9 - 5);
        for (let again = 0; again < 3; again++) assertEquals(await codingOf(handler), "gzip");
        await setTimes(1e9 + 60, 1e9, 1e9);
        for (let again = 0; again < 3; again++) assertEquals(await codingOf(handler), null);
        await setTimes(1e9, 1e9, 1e9 + 60);
        for (let again = 0; again < 3; again++) assertEquals(await codingOf(handler), "br");
      }
    }
  }));

test("options that cannot be are refused", () => {
  const wrong = (options: unknown) => () => fileHandler("a", options as Record<string, never>);
  assertThrows(() => fileHandler(""), TypeError, "root must be a path");
  for (
    const [options, message] of [
      [{ mode: "x" }, 'mode must be stream or buffer, got "x"'],
      [{ chunkSize: 0 }, "chunkSize"],
      [{ extensions: [".html"] }, 'no dot first and no separator, got ".html"'],
      [{ extensions: ["a/../b"] }, "an extension must have"],
      [{ idleTimeoutMs: -1 }, "idleTimeoutMs"],
      [{ idleTimeoutMs: 2 ** 31 }, "idleTimeoutMs must be at most 2147483647"],
      [{ dotfiles: "ignore" }, 'dotfiles must be deny or allow, got "ignore"'],
      [{ cache: { maxBytes: 0 } }, "cache.maxBytes"],
      [{ cache: { maxAgeMs: -1 } }, "cache.maxAgeMs"],
    ] as const
  ) {
    assertThrows(wrong(options), RangeError, message);
  }
  for (
    const [options, message] of [
      [{ other: 1 }, 'unknown option "other"'],
      [{ index: "a/b" }, "index must be a file's name, several or false"],
      [{ index: ["a", 1] }, "index must be"],
      [{ extensions: "html" }, "extensions must be an array of strings"],
      [{ extensions: [1] }, "an extension must be a string, got 1"],
      [{ index: [], spa: true }, "spa must name a file"],
      [{ index: ".." }, "index must be"],
      [{ index: true }, "index must be"],
      [{ spa: "../x.html" }, "spa must be a path below the root"],
      [{ spa: true, index: false }, "spa must name a file"],
      [{ allowedHosts: "a" }, "allowedHosts must be an array of hosts"],
      [{ allowedHosts: ["a:80"] }, "allowedHosts must be hosts without a port"],
      [{ allowedHosts: [5] }, "allowedHosts must be hosts without a port, got 5"],
      [{ listing: 1 }, "listing must be a boolean"],
      [{ mode: 5 }, "mode must be stream or buffer, got 5"],
      [{ dotfiles: Symbol("deny") }, "dotfiles must be deny or allow, got Symbol(deny)"],
      [{ precompressed: "br" }, "precompressed must be a boolean"],
      [{ cacheControl: 60 }, "cacheControl must be a string or a function"],
      [{ cacheControl: "a\nb" }, "headers or cacheControl"],
      [{ headers: { "bad name": "x" } }, "headers or cacheControl"],
      [{ headers: "x" }, "headers must be an object or a function"],
      [{ contentType: "text/plain" }, "contentType must be a function"],
      [{ fallthrough: true }, "fallthrough must be a function, got true"],
      [{ onError: 1 }, "onError must be a function"],
      [{ cache: true }, "cache must be an object or false"],
      [{ cache: null }, "cache must be an object or false"],
      [{ cache: { maxBytes: "1" } }, "cache.maxBytes"],
      [{ cache: { size: 1 } }, 'unknown option "size"'],
      [null, "options must be an object"],
    ] as const
  ) {
    assertThrows(wrong(options), TypeError, message);
  }
});

test("a content type that no header can carry is an error, and the file is closed", () =>
  withFixture(async (root) => {
    for (const contentType of [() => "text/plain\r\nx: y", () => "\u{1f600}"]) {
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      const handler = fileHandler(root, { contentType, onError, chunkSize: 1000 });
      const response = await handler(get("/big.bin"));
      assertEquals([response.status, errors.length, openFiles(root)], [500, 1, []]);
    }
  }));

test("what cannot be done is said of what was to be done, and one file has no options of a folder", async () => {
  const none = undefined as never;
  const refusedBy = (
    call: (path: string, options?: never) => unknown,
    names: string[],
  ) => [() => call(""), ...names.map((name) => () => call("a", { [name]: "x" } as never))];
  const folderNames = ["index", "spa", "listing", "dotfiles"];
  const refused = {
    "create file handler": [fileHandler, nodeFileHandler].flatMap((call) =>
      refusedBy(call, ["other"])
    ),
    "send file": [
      ...refusedBy((path, options) => sendFile(get("/"), path, options), folderNames),
      ...refusedBy((path, options) => sendNodeFile(none, none, path, options), folderNames),
    ],
  };
  for (const [action, calls] of Object.entries(refused)) {
    for (const call of calls) {
      const error = await assertRejects(async () => void await call(), TypeError);
      const [, said] = /^Cannot (.*?): (?:\w+ must be a path|unknown option)/.exec(error.message)!;
      assertEquals(said, action);
    }
  }
});

test("a folder that changes places with a link outside lists nothing of there", {
  skip: hasLinks ? false : "no links there",
}, () =>
  withFixture(async (root, base) => {
    const handler = fileHandler(root, { listing: true });
    let isOver = false;
    const swapping = (async () => {
      while (!isOver) {
        renameSync(join(root, "sub"), join(base, "was"));
        symlinkSync("../outside", join(root, "sub"));
        await new Promise<void>((resolve) => setImmediate(() => resolve()));
        unlinkSync(join(root, "sub"));
        renameSync(join(base, "was"), join(root, "sub"));
        await new Promise<void>((resolve) => setImmediate(() => resolve()));
      }
    })();
    for (let count = 0; count < 1000; count++) {
      const text = await (await handler(get("/sub/"))).text();
      assert(!text.includes("secret.txt"), `answer ${count}: ${text}`);
    }
    isOver = true;
    await swapping;
    const text = await (await handler(get("/sub/"))).text();
    assert(text.includes("inner.txt"), "the folder itself is listed again");
    assertEquals(openFiles(root), []);
  }));
