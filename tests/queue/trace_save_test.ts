import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { pipeline } from "@hosepipe/streams";
import {
  Consumer,
  messages,
  type Output,
  perMessage,
  stored,
  traceSave,
} from "@hosepipe/streams/queue";
import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
import type { SpanContext } from "@opentelemetry/api";
import { DatabaseSync } from "node:sqlite";
import { tracerOf } from "../lib/tracer_of.ts";

test("each batch is a span, with a link to the span of each of its messages", async () => {
  const { tracer, spans } = tracerOf();
  const sent = ["a", "b", "c"].map((name) => tracer.startSpan(name).spanContext());
  const known = new Map<string, SpanContext>([["a", sent[0]!], ["b", sent[1]!]]);
  const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "jobs" });
  await queue.send(["a", "b", "c", "d"]);
  const consumer = new Consumer(queue);
  let stores = 0;
  await pipeline(
    messages(consumer),
    perMessage({
      transform(text: string, controller) {
        controller.enqueue(text);
        controller.enqueue(text);
      },
    }),
    stored(
      consumer,
      traceSave(tracer, () => void (++stores === 2 && consumer.stop()), {
        contextOf: ({ body }) => known.get(body as string),
        name: "store",
      }),
      // So long that a busy machine does not end a batch before it is full.
      { batchSize: 4, maxWaitMs: 600_000 },
    ),
  );
  assertEquals(spans().map(({ name, attributes, links }) => [name, attributes, links.length]), [
    ["store", { "hosepipe.save.outputs": 4, "hosepipe.save.messages": 2 }, 2],
    ["store", { "hosepipe.save.outputs": 4, "hosepipe.save.messages": 2 }, 0],
  ]);
  assertEquals(
    spans()[0]!.links.map(({ context }) => context.spanId),
    [sent[0]!.spanId, sent[1]!.spanId],
  );
});

const outputs: readonly Output<string>[] = [];
const context = { signal: new AbortController().signal };

test("it answers and fails as save does, and its span says so", async () => {
  const { tracer, spans } = tracerOf();
  assertEquals(traceSave(tracer, () => 7)(outputs, context), 7);
  assertEquals(await traceSave(tracer, () => Promise.resolve(8))(outputs, context), 8);
  const boom = new RangeError("full");
  const fails = traceSave(tracer, () => Promise.reject(boom))(outputs, context) as Promise<void>;
  assertEquals(await fails.catch((reason) => reason), boom);
  let thrown: unknown;
  try {
    traceSave(tracer, () => {
      throw undefined;
    })(outputs, context);
  } catch (reason) {
    thrown = [reason];
  }
  assertEquals(thrown, [undefined]);
  assertEquals(spans().map(({ status }) => status), [
    { code: 0 },
    { code: 0 },
    { code: 2, message: "full" },
    { code: 2, message: "undefined" },
  ]);
});

test("what it is given is checked at once", () => {
  const { tracer } = tracerOf();
  const problem = (...args: unknown[]) =>
    assertThrows(() => (traceSave as (...args: unknown[]) => unknown)(...args), TypeError).message;
  assertEquals(
    [
      problem(undefined, () => {}),
      problem({}, () => {}),
      problem(tracer, 1),
      problem(tracer, () => {}, { links: 1 }),
      problem(tracer, () => {}, { contextOf: 1 }),
      problem(tracer, () => {}, { name: 1 }),
    ].map((message) => message.replace("Cannot trace a save: ", "").split(",")[0]),
    [
      "tracer must be a Tracer of OpenTelemetry",
      "tracer.startActiveSpan must be a function",
      "save must be a function",
      'unknown option "links"; the options are contextOf',
      "contextOf must be a function",
      "name must be a string",
    ],
  );
});
