import { Buffer } from "node:buffer";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { fileHandler } from "../../src/files/file_handler.ts";
import { serveModes } from "../../src/files/read_settings.ts";
import { bigBytes, withFixture } from "./fixture.ts";
import { hosts } from "./hosts.ts";
import { openFiles, remainingFiles } from "./open_files.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";

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
      const { port, close } = await host.start(root, {});
      try {
        for (const range of ["bytes=400000-599999, 0-299999", "bytes=9-10, 5-5"]) {
          const text = `GET /big.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
            `Range: ${range}\r\n\r\n`;
          const { status, headers, body, isWhole } = parseResponse(await rawRequest(port, text));
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
      } finally {
        await close();
      }
      assertEquals(await remainingFiles(root), []);
    }));
}
