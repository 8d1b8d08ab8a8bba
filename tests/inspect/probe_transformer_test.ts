import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { map } from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import type { Stage } from "../lib/operator.ts";
import { turns } from "../lib/turns.ts";

test("a probed writer calls each method as the sink has it, and serves one stream", async () => {
  const log: string[] = [];
  const sink: UnderlyingSink<number> = {
    start(this: unknown) {
      log.push(`start ${this === sink}`);
    },
    write(this: unknown, chunk) {
      log.push(`write ${chunk} ${this === sink}`);
    },
    close(this: unknown) {
      log.push(`close ${this === sink}`);
    },
    abort(this: unknown, reason: unknown) {
      log.push(`abort ${reason} ${this === sink}`);
    },
  };
  for (const end of ["close", "abort"] as const) {
    const look = probe();
    const probed = look.writer(sink);
    const output = new WritableStream(probed).getWriter();
    await output.write(1);
    await output[end](end === "abort" ? "why" : undefined).catch(() => {});
    output.closed.catch(() => {});
    assertThrows(
      () => new WritableStream(probed),
      TypeError,
      "Cannot start: a probed writer serves one stream, wrap it again",
    );
  }
  assertEquals(log, [
    ...["start true", "write 1 true", "close true"],
    ...["start true", "write 1 true", "abort why true"],
  ]);
});

/** A transformer of which each method writes down that it was called on the object it belongs to. */
function recorded(log: string[], rest: Partial<Stage> = {}): Stage {
  const stage: Stage = {
    start: function (this: unknown) {
      log.push(`start ${this === stage}`);
    },
    transform: function (this: unknown, chunk, controller) {
      log.push(`transform ${chunk} ${this === stage}`);
      controller.enqueue(chunk);
    },
    flush: function (this: unknown) {
      log.push(`flush ${this === stage}`);
    },
    cancel: function (this: unknown, reason: unknown) {
      log.push(`cancel ${reason} ${this === stage}`);
    },
    ...rest,
  } as Stage;
  return stage;
}

test("a probed transformer calls each method as the transformer has it", async () => {
  const log: string[] = [];
  const look = probe();
  const stage = new TransformStream(look.transformer(recorded(log)));
  const { readable } = countedSource({ length: 2 });
  assertEquals(await Array.fromAsync(readable.pipeThrough(stage)), [0, 1]);
  assertEquals(log, ["start true", "transform 0 true", "transform 1 true", "flush true"]);
  const names = look.events().map(({ event }) => event);
  assertEquals(names.filter((name) => name !== "backpressure" && name !== "drain"), [
    ...["transform", "transform", "final"],
  ]);
});

test("a probed transformer is cancelled with the reason, and its cancel is waited for", async () => {
  const log: string[] = [];
  const cancelled = Promise.withResolvers<void>();
  const look = probe();
  const transformer = look.transformer(recorded(log, {
    cancel(reason) {
      log.push(`cancel ${reason}`);
      return cancelled.promise;
    },
  } as Partial<Stage>));
  const { readable } = countedSource();
  const output = readable.pipeThrough(new TransformStream(transformer));
  let isCancelled = false;
  const cancelling = output.cancel("why").then(() => isCancelled = true);
  await turns();
  assertEquals([log.at(-1), isCancelled], ["cancel why", false]);
  cancelled.resolve();
  await cancelling;
  assertEquals(look.events().map(({ event, reason }) => [event, reason]).at(-1), ["cancel", "why"]);
});

test("what a probed transformer's methods throw is the stream's failure, by identity", async () => {
  for (const method of ["start", "transform", "flush"] as const) {
    for (const isLate of [false, true]) {
      const reason = new Error(`${method} failed`);
      const fail = () => {
        if (!isLate) throw reason;
        return Promise.reject(reason);
      };
      const look = probe();
      const transformer = look.transformer(recorded([], { [method]: fail }));
      const run = async () => {
        const { readable } = countedSource({ length: 1 });
        await Array.fromAsync(readable.pipeThrough(new TransformStream(transformer)));
      };
      assertEquals(await errorOf(run()), [reason]);
      const failures = look.events().filter(({ event }) => event === "error");
      assertEquals(failures.map(({ reason }) => reason), [String(reason)], method);
    }
  }
});

test("a probed transformer serves one stream, and takes no options that are unknown", () => {
  const look = probe();
  const transformer = look.transformer({});
  new TransformStream(transformer);
  assertThrows(
    () => new TransformStream(transformer),
    TypeError,
    "Cannot start: a probed transformer serves one stream, wrap it again",
  );
  assertThrows(
    () => look.transformer({}, { strategy: {} } as never),
    TypeError,
    "strategy",
  );
});

test("a probed transformer has a type only where its own has one, since WebKit refuses any", () => {
  const typesOf = (transformer: object) =>
    Object.keys(probe().transformer(transformer as never)).filter((name) => name.endsWith("Type"));
  assertEquals(typesOf({ transform() {} }), []);
  assertEquals(typesOf(map((n: number) => n)), []);
  assertEquals(typesOf({ readableType: undefined }), ["readableType"]);
  const typed = probe().transformer({ writableType: "bytes" } as never);
  assertThrows(() => new TransformStream(typed), RangeError);
});
