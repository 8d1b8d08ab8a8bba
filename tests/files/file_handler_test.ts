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
import { bunContext } from "../../src/files/bun_context.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";
import { Buffer } from "node:buffer";
import { hosts } from "./hosts.ts";
import { Slots } from "../../src/files/slots.ts";
import { until } from "../lib/until.ts";

interface BunGlobal {
  serve(options: object): { readonly port: number; stop(isAtOnce: boolean): Promise<void> };
}

// More than all buffers of the system between the two take.
const long = pattern(24 * 2 ** 20);

/** How long Bun's clock may take to see that a second has passed, and some more. */
const pauseMs = 7000;

test("a client that is given up is cut, and others get time for what buffers hold", () => {
  const calls: number[] = [];
  const server = { timeout: (_request: Request, seconds: number) => void calls.push(seconds) };
  const contextOf = () => bunContext(server, new Request("http://localhost/"));
  const still = contextOf();
  still.onBody();
  still.onIdle();
  // The file is closed only then.
  still.onEnd(200, 1_000_000);
  const read = contextOf();
  read.onBody();
  read.onEnd(200, 1_000_000);
  contextOf().onEnd(200, 100);
  assertEquals(calls, [0, 1, 0, 255]);
});

test("a client of Bun.serve may pause for longer than that waits", {
  skip: currentRuntime().name === "bun" ? false : "Bun's own server",
}, () =>
  withFixture(async (root) => {
    await writeFile(join(root, "long.bin"), long);
    const { Bun } = globalThis as unknown as { Bun: BunGlobal };
    const server = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0, idleTimeout: 1, fetch: fileHandler(root) },
    });
    try {
      const text = "GET /long.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      const received = await rawRequest(server.port, text, {
        whilePaused: () => new Promise((resolve) => setTimeout(resolve, pauseMs)),
      });
      const { body, isWhole } = parseResponse(received);
      assertEquals([isWhole, body.equals(long)], [true, true]);
    } finally {
      await server.stop(true);
    }
  }));

interface Part {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Takes a body of several parts apart, as its standard has it. */
function partsOf(body: Uint8Array, contentType: string | null | undefined): Part[] {
  const [, boundary] = /^multipart\/byteranges; boundary=(\S+)$/.exec(contentType ?? "")!;
  const pieces = Buffer.from(`\r\n${Buffer.from(body).toString("latin1")}`, "latin1")
    .toString("latin1").split(`\r\n--${boundary}`);
  assertEquals([pieces[0], pieces.at(-1)], ["", "--\r\n"]);
  return pieces.slice(1, -1).map((piece) => {
    assert(piece.startsWith("\r\n"));
    const end = piece.indexOf("\r\n\r\n");
    const headers = piece.slice(2, end).split("\r\n").map((line) => line.split(": "));
    return {
      headers: Object.fromEntries(headers),
      body: Buffer.from(piece.slice(end + 4), "latin1"),
    };
  });
}

for (const mode of serveModes) {
  test(`mode ${mode}: each part has its range, its type and its bytes`, () =>
    withFixture(async (root) => {
      // One file that is kept in memory, and one that is read.
      await writeFile(join(root, "small.bin"), bigBytes.subarray(0, 5000));
      for (const [name, size] of [["small.bin", 5000], ["big.bin", bigBytes.length]] as const) {
        const ranges = fc.array(fc.tuple(fc.nat(size - 1), fc.nat(2000)), {
          minLength: 2,
          maxLength: 16,
        });
        await fc.assert(
          fc.asyncProperty(
            ranges,
            fc.integer({ min: 50, max: 3000 }),
            async (wanted, chunkSize) => {
              const handler = fileHandler(root, { mode, chunkSize });
              const range = `bytes=${wanted.map(([at, more]) => `${at}-${at + more}`).join(", ")}`;
              const request = () => new Request(`http://localhost/${name}`, { headers: { range } });
              // The second time from memory, if at all.
              for (const response of [await handler(request()), await handler(request())]) {
                assertEquals(response.status, 206);
                const body = await response.bytes();
                assertEquals(response.headers.get("content-length"), String(body.length));
                const contentType = response.headers.get("content-type");
                if (!contentType!.startsWith("multipart/")) continue;
                assertEquals(response.headers.has("content-range"), false);
                for (const part of partsOf(body, contentType)) {
                  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(
                    part.headers["Content-Range"]!,
                  )!;
                  assertEquals(part.headers, {
                    "Content-Type": "application/octet-stream",
                    "Content-Range": `bytes ${first}-${last}/${size}`,
                  });
                  assert(part.body.equals(bigBytes.subarray(Number(first), Number(last) + 1)));
                }
              }
            },
          ),
          { numRuns: 40 },
        );
      }
      assertEquals(openFiles(root), []);
    }));
}

for (const host of hosts) {
  test(`${host.name}: several ranges in one answer, in the client's order`, () =>
    withFixture(async (root) => {
      await using server = await host.start(root, {});
      for (const range of ["bytes=400000-599999, 0-299999", "bytes=9-10, 5-5"]) {
        const text = `GET /big.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
          `Range: ${range}\r\n\r\n`;
        const { status, headers, body, isWhole } = parseResponse(
          await rawRequest(server.port, text),
        );
        assertEquals([status, isWhole], [206, true]);
        const parts = partsOf(body, headers.get("content-type"));
        const wanted = range.slice(6).split(", ").map((one) => one.split("-").map(Number));
        assertEquals(
          parts.map((part) => part.headers["Content-Range"]),
          wanted.map(([first, last]) => `bytes ${first}-${last}/${bigBytes.length}`),
        );
        for (const [index, [first, last]] of wanted.entries()) {
          assert(parts[index]!.body.equals(bigBytes.subarray(first, last! + 1)));
        }
      }
      assertEquals(await remainingFiles(root), []);
    }));
}

const longMs = 600_000;

test("places are given to the first in line, and only as many as there are", async () => {
  const slots = new Slots(1);
  assertEquals(slots.take(longMs), true);
  assertEquals(slots.take(0), false);
  const order: number[] = [];
  const waiting = [1, 2].map(async (number) => {
    assertEquals(await slots.take(longMs), true);
    order.push(number);
    slots.release();
  });
  slots.release();
  await Promise.all(waiting);
  assertEquals(order, [1, 2]);
  assertEquals([slots.take(0), slots.take(0)], [true, false]);
});

test("a place that comes too late goes to the next in line", async () => {
  const slots = new Slots(1);
  slots.take(0);
  const next = slots.take(longMs);
  assertEquals(await slots.take(1), false);
  slots.release();
  assertEquals(await next, true);
  slots.release();
  assertEquals(slots.take(0), true);
});

test("beyond maxOpenFiles an answer waits, then is a 503; each end of a body makes room", () =>
  withFixture(async (root) => {
    const ask = (files: (request: Request) => Promise<Response>, name = "big.bin", headers = {}) =>
      files(new Request(`http://localhost/${name}`, { headers }));
    const refusing = fileHandler(root, { maxOpenFiles: 1, queueMs: 0, chunkSize: 1024 });
    for (let round = 0; round < 3; round++) {
      const headers = round === 1 ? { range: "bytes=0-99999, 200000-" } : {};
      const open = await ask(refusing, "big.bin", headers);
      const refused = await ask(refusing, "hello.txt");
      assertEquals([open.status, refused.status], [round === 1 ? 206 : 200, 503]);
      assertEquals(refused.headers.get("retry-after"), "1");
      if (round === 0) await open.body!.cancel();
      else await open.arrayBuffer();
    }
    const waiting = fileHandler(root, { maxOpenFiles: 1, queueMs: longMs, chunkSize: 1024 });
    const open = await ask(waiting);
    const next = ask(waiting, "hello.txt");
    await open.body!.cancel();
    assertEquals(await (await next).text(), "hello world\n");
    for (const name of ["missing", "empty.bin", "", "sub"]) {
      for (let count = 0; count < 3; count++) await (await ask(waiting, name)).body?.cancel();
    }
    assertEquals((await ask(waiting, "hello.txt")).status, 200);
  }));

test("a place is taken back from what stands still, least moved first, never from what is read", () =>
  withFixture(async (root) => {
    const files = fileHandler(root, { maxOpenFiles: 3, queueMs: longMs, chunkSize: 1024 });
    const ask = () => files(new Request("http://localhost/big.bin"));
    const [moved, still, read] = (await Promise.all([ask(), ask(), ask()])).map(({ body }) =>
      body!.getReader()
    );
    await moved!.read();
    let isOver = false;
    const reading = (async () => {
      while (!isOver && !(await read!.read()).done) {
        await new Promise((next) => setTimeout(next, 5));
      }
    })();
    const startedAt = performance.now();
    const next = await ask();
    assert(performance.now() - startedAt < 1000);
    isOver = true;
    await reading;
    await assertRejects(() => still!.read(), Error, "others waited");
    for (const one of [moved!, read!]) {
      assertEquals((await one.read()).value!.length, 1024);
      await one.cancel();
    }
    await next.body!.cancel();
    const last = await ask();
    assertEquals(last.status, 200);
    await last.body!.cancel();
  }));

test("a place that is refused at once is free for who asks again", () =>
  withFixture(async (root) => {
    const files = fileHandler(root, { maxOpenFiles: 1, queueMs: 0, chunkSize: 1024 });
    const ask = () => files(new Request("http://localhost/big.bin"));
    const { body } = await ask();
    let response = await ask();
    assertEquals(response.status, 503);
    await until(async () => (response = await ask()).status === 200);
    await Promise.all([body, response.body].map((one) => one!.cancel().catch(() => {})));
  }));

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
