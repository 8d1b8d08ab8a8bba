import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { filter, map, parallel, pipeline, take, toArray } from "@hosepipe/streams";
import { probe, type ProbeOutput, type RunSpan, traceRun } from "@hosepipe/streams/inspect";
import { AsyncLocalStorage } from "node:async_hooks";
import * as api from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { tracerOf } from "../lib/tracer_of.ts";
import { turns } from "../lib/turns.ts";
import { thrownDuring } from "./_by_hand.ts";

function timeOf([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1e3 + nanoseconds / 1e6;
}

const chunksOf = ({ attributes }: ReadableSpan) => attributes["hosepipe.stage.chunks"];

test("a span for the run, and one below it for each stage, with counts", async () => {
  const { tracer, spans } = tracerOf();
  const look = probe({ name: "orders" });
  traceRun(look, tracer, api);
  await pipeline(
    look.reader([1, 2, 3, 4]),
    look.transformer(filter((n: number) => n % 2 === 0), { name: "even" }),
    look.transformer(parallel((n: number) => Promise.resolve(n), { concurrency: 2 })),
    look.writer(() => {}, { name: "store" }),
  );

  const all = spans();
  assertEquals(all.map(({ name }) => name), ["reader", "even", "transformer 2", "store", "orders"]);
  const run = all.at(-1)!;
  const stages = all.slice(0, -1);
  assertEquals(stages.map(chunksOf), [4, 2, 2, 2]);
  for (const { parentSpanContext, attributes, startTime, endTime } of stages) {
    assertEquals(parentSpanContext?.spanId, run.spanContext().spanId);
    assertEquals(attributes["hosepipe.pipeline.name"], "orders");
    assert(Number(attributes["hosepipe.stage.working_time"]) >= 0);
    assert(Number(attributes["hosepipe.stage.waiting_time"]) >= 0);
    assert(timeOf(startTime) <= timeOf(endTime) && timeOf(endTime) <= timeOf(run.endTime));
  }
  assertEquals(run.parentSpanContext, undefined);
  assertEquals(all.map(({ status }) => status.code), [0, 0, 0, 0, 0]);
});

test("the span that is active when the run begins is the parent", async () => {
  const { tracer, spans } = tracerOf();
  const storage = new AsyncLocalStorage<api.Context>();
  const active = () => storage.getStore() ?? api.ROOT_CONTEXT;
  const look = probe();
  traceRun(look, tracer, { context: { active }, trace: api.trace });
  const request = tracer.startSpan("request");
  await storage.run(
    api.trace.setSpan(api.ROOT_CONTEXT, request),
    () => pipeline(look.reader([1]), look.writer(() => {})),
  );
  request.end();
  const [, , run] = spans();
  assertEquals([run!.name, run!.parentSpanContext!.spanId], [
    "pipeline",
    request.spanContext().spanId,
  ]);
});

const boom = new SyntaxError("boom");

/** How a run fails, and which of its spans say so. */
const failing: Readonly<
  Record<string, [(look: ReturnType<typeof probe>) => Promise<unknown>, string]>
> = {
  "a source": [
    (look) =>
      pipeline(
        look.reader((function* () {
          yield 1;
          throw boom;
        })()),
        look.transformer(map((n) => n)),
        look.writer(() => {}),
      ),
    "reader",
  ],
  "a stage": [
    (look) =>
      pipeline(
        look.reader([1, 2]),
        look.transformer(map((n) => {
          if (n === 2) throw boom;
          return n;
        })),
        look.writer(() => {}),
      ),
    "transformer",
  ],
  "a sink": [
    (look) =>
      pipeline(
        look.reader([1, 2]),
        look.transformer(map((n) => n)),
        look.writer(() => Promise.reject(boom)),
      ),
    "writer",
  ],
  "native streams": [
    (look) =>
      new ReadableStream(look.reader<number>({
        pull: (controller) => controller.enqueue(1),
      })).pipeThrough(
        new TransformStream(look.transformer({
          transform() {
            throw boom;
          },
        })),
      ).pipeTo(new WritableStream(look.writer({ write() {} }))),
    "transformer",
  ],
};

for (const [what, [run, failed]] of Object.entries(failing)) {
  test(`${what} that fails: its span and the run's have the error`, async () => {
    const { tracer, spans } = tracerOf();
    const look = probe({ name: "run" });
    traceRun(look, tracer, api);
    assertEquals(await run(look).then(() => undefined, (reason) => reason), boom);
    await turns(2);
    const marked = spans().filter(({ status }) => status.code === 2);
    assertEquals(marked.map(({ name }) => name), [failed, "run"]);
    for (const { events, status } of marked) {
      assertEquals(status.message, "boom");
      assertEquals(events.map(({ attributes }) => attributes!["exception.type"]), ["SyntaxError"]);
    }
  });
}

test("where it failed stands in the run's span", async () => {
  const { tracer, spans } = tracerOf();
  const look = probe();
  traceRun(look, tracer, api);
  const parse = (text: string) => JSON.parse(text);
  await pipeline(
    look.reader(["1", "2", "oops"]),
    look.transformer(map((text) => text)),
    look.transformer(map(parse)),
    look.writer(() => {}),
  ).catch(() => {});
  await turns(2);
  const { attributes } = spans().at(-1)!;
  assertEquals(
    Object.entries(attributes).filter(([key]) => key.startsWith("hosepipe.failure.")),
    [
      ["hosepipe.failure.side", "stage"],
      ["hosepipe.failure.stage", 2],
      ["hosepipe.failure.name", "map(parse)"],
      ["hosepipe.failure.chunk_index", 2],
    ],
  );
});

test("what is no error is an exception as a text", async () => {
  for (
    const [reason, text] of [[undefined, "undefined"], [{ toString: 1 }, "object"], ["s", "s"]]
  ) {
    const { tracer, spans } = tracerOf();
    const look = probe();
    traceRun(look, tracer, api);
    await pipeline(
      look.reader([1]),
      look.writer(() => {
        throw reason;
      }),
    ).catch(() => {});
    await turns(2);
    assertEquals(spans().at(-1)!.status, { code: 2, message: text as string });
  }
});

test("an early end and a signal are no errors", async () => {
  const early = tracerOf();
  const look = probe();
  traceRun(look, early.tracer, api);
  assertEquals(await toArray(look.reader([1, 2, 3]), look.transformer(take(1))), [1]);
  await turns(2);
  assertEquals(early.spans().map(({ name, status }) => [name, status.code]), [
    ["reader", 0],
    ["transformer", 0],
    ["pipeline", 0],
  ]);

  const aborted = tracerOf();
  const controller = new AbortController();
  const other = probe();
  traceRun(other, aborted.tracer, api);
  const run = pipeline(
    other.reader([1, 2, 3]),
    other.transformer(map((n) => n)),
    other.writer(() => controller.abort()),
    { signal: controller.signal },
  );
  assertEquals(await run.catch((reason) => reason.name), "AbortError");
  await turns(3);
  assertEquals(aborted.spans().map(({ status }) => status.code), [0, 0, 0, 0]);
});

test("a run that never ends is ended by hand, once", async () => {
  const { tracer, spans } = tracerOf();
  const look = probe();
  const { end } = traceRun(look, tracer, api);
  end();
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = pipeline(look.reader([1]), look.writer(() => promise));
  await turns(1);
  assertEquals(spans(), []);
  end();
  assertEquals(spans().map(({ name }) => name), ["reader", "writer", "pipeline"]);
  resolve();
  await run;
  end();
  assertEquals(spans().length, 3);
});

test("a tracer that throws disturbs no run", async () => {
  const failed = await thrownDuring(async () => {
    const look = probe();
    const startSpan = (): RunSpan => {
      throw boom;
    };
    traceRun(look, { startSpan }, api as never);
    assertEquals(await toArray(look.reader([1, 2])), [1, 2]);
  });
  assert(failed.length > 0 && failed.every((error) => error === boom));
});

test("what it is given is checked at once", () => {
  const { tracer } = tracerOf();
  const problem = (...args: unknown[]) =>
    assertThrows(() => (traceRun as (...args: unknown[]) => unknown)(...args), TypeError).message;
  const look: ProbeOutput = probe();
  assertEquals(problem({}, tracer, api).startsWith("Cannot trace a run: the probe must be"), true);
  assertEquals(
    problem(look, undefined, api),
    "Cannot trace a run: tracer must be a Tracer of OpenTelemetry, got undefined",
  );
  assertEquals(
    problem(look, {}, api),
    "Cannot trace a run: tracer.startSpan must be a function, got undefined",
  );
  assertEquals(
    problem(look, tracer),
    "Cannot trace a run: api.context.active must be a function, got undefined",
  );
  traceRun(look, tracer, api);
  assertEquals(problem(look, tracer, api), "Cannot trace a run: the probe is traced already");
});
