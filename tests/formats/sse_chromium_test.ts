import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { chromium } from "playwright-core";
import { toArray } from "@hosepipe/streams";
import { parseSse } from "@hosepipe/streams/formats";
import { findChromium } from "../package/_find_chromium.ts";

const executablePath = findChromium();
const skip = executablePath === undefined && process.env.HOSEPIPE_REQUIRE_CHROMIUM !== "1" &&
  "no Chromium";

const parts = fc.constantFrom(
  ...["data", "event", "id", "retry", ":", ": ", " ", "\n", "\n\n", "\r", "\r\n", "\ufeff", "\0"],
  ...["a", "ü", "😀", "data:x\n\n", "data: y\r\n", "id:1\n", "id:a\0b\n", "event:e\n", "retry:9\n"],
);
const streams = fc.sample(fc.array(parts, { minLength: 3, maxLength: 30 }), {
  numRuns: 300,
  seed: 7,
})
  .map((list) => list.join(""));

/** Runs in the page: what its `EventSource` gives of each stream, until the connection ends. */
async function listen(count: number): Promise<[type: string, data: string, id: string][][]> {
  const all: [string, string, string][][] = [];
  for (let index = 0; index < count; index++) {
    const events: [string, string, string][] = [];
    const source = new EventSource(`/events/${index}`);
    const add = (event: MessageEvent) =>
      void events.push([event.type, event.data, event.lastEventId]);
    source.addEventListener("message", add);
    for (const type of ["e", "a", "ea", "ee", "x"]) source.addEventListener(type, add);
    await new Promise((resolve) => {
      source.onerror = resolve;
    });
    source.close();
    all.push(events);
  }
  return all;
}

test("a browser's EventSource gives the same events, wherever the network cuts them", {
  skip,
}, async () => {
  const server = createServer((request, response) => {
    const index = /^\/events\/(\d+)$/.exec(request.url!)?.[1];
    if (index === undefined) {
      response.setHeader("content-type", "text/html");
      return response.end("<title>events</title>");
    }
    const bytes = new TextEncoder().encode(streams[Number(index)]!);
    response.setHeader("content-type", "text/event-stream");
    const middle = Number(index) % (bytes.length + 1);
    response.write(bytes.subarray(0, middle));
    setImmediate(() => response.end(bytes.subarray(middle)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await chromium.launch({
    ...{ executablePath: executablePath!, args: ["--no-sandbox", "--disable-gpu"] },
  });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const seen = await page.evaluate(listen, streams.length);
    const known = new Set(["message", "e", "a", "ea", "ee", "x"]);
    for (const [index, text] of streams.entries()) {
      const events = await toArray([text], parseSse());
      const own = events.filter(({ type }) => known.has(type))
        .map(({ type, data, lastEventId }) => [type, data, lastEventId]);
      assertEquals(seen[index], own as typeof seen[number], JSON.stringify(text));
    }
  } finally {
    await browser.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
