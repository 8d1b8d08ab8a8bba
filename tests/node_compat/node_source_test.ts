import { assertEquals } from "@std/assert";
import { Readable } from "node:stream";
import { test } from "node:test";
import { NodeSource } from "../../node_compat/node_source.ts";
import { settle } from "./virtual_clock.ts";

const ends: Record<string, (stream: Readable) => void> = {
  "ends": (stream) => void stream.push(null),
  "fails": (stream) => void stream.destroy(new Error("why")),
  "is destroyed": (stream) => void stream.destroy(),
};

for (const [how, end] of Object.entries(ends)) {
  test(`a pull that waits is over when the stream ${how}, and no listener stays`, async () => {
    const stream = new Readable({ objectMode: true, read() {} });
    const source = new NodeSource(stream);
    const said: string[] = [];
    const controller = {
      enqueue: (chunk: unknown) => said.push(`chunk ${chunk}`),
      close: () => said.push("close"),
      error: () => said.push("error"),
    } as unknown as ReadableStreamDefaultController<unknown>;
    source.start(controller);
    stream.push(1);
    await source.pull(controller);
    let isOver = false;
    source.pull(controller).then(() => isOver = true);
    await settle();
    assertEquals([said, isOver], [["chunk 1"], false]);
    end(stream);
    await settle();
    assertEquals([said, isOver], [["chunk 1", how === "ends" ? "close" : "error"], true]);
    assertEquals(stream.listenerCount("readable"), 0);
  });
}
