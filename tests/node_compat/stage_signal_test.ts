import { assertEquals, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { compose, filter, flatMap, map, tap } from "@hosepipe/streams";
import { fromNode, pipeline, toNode, transformer } from "@hosepipe/streams/node";
import { reasons, rejection } from "./errors.ts";
import { settle } from "./virtual_clock.ts";

type Hang = (chunk: number, index: number, context: { signal: AbortSignal }) => Promise<never>;

const stages: Record<string, (hang: Hang) => Transformer<number, number>> = {
  map: (hang) => map(hang),
  filter: (hang) => filter(hang),
  flatMap: (hang) => flatMap(hang),
  tap: (hang) => tap(hang),
  compose: (hang) => compose(map((chunk: number) => chunk), map(hang)),
};

/** Functions that hang until their signal aborts, and what they heard. */
function hanging() {
  const heard: unknown[] = [];
  const hang: Hang = (_chunk, _index, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        heard.push(signal.reason);
        reject(signal.reason);
      });
    });
  return { heard, hang };
}

/** Gives 1, and then nothing: at its end `flush` would run, and who flushes is not cancelled any more. */
async function* once(): AsyncGenerator<number> {
  yield 1;
  await new Promise(() => {});
}

for (const [name, make] of Object.entries(stages)) {
  test(`destroying a ${name} aborts its function's signal with the reason, each stream its own`, async () => {
    const reason = new Error("enough");
    const { heard, hang } = hanging();
    const dictionary = make(hang);
    const [one, other] = [transformer(dictionary), transformer(dictionary)];
    for (const stream of [one, other]) stream.on("error", () => {}).write(1);
    await settle();
    one.destroy(reason);
    await settle();
    assertEquals(heard, [reason]);
    assertEquals([one.closed, other.destroyed], [true, false]);
    other.destroy();
    await settle();
    assertEquals([heard.length, other.closed], [2, true]);
  });

  test(`a signal, a failing sink and an early end reach the function of ${name}`, async () => {
    const ways: Record<string, (stage: Transformer<number, number>) => Promise<unknown>> = {
      async signal(stage) {
        const controller = new AbortController();
        const run = rejection(pipeline(once(), stage, () => {}, { signal: controller.signal }));
        await settle();
        controller.abort("signal");
        return (await run).reason;
      },
      async error(stage) {
        const stream = transformer(stage);
        const run = rejection(pipeline(once(), stream, { cancel() {} }, () => {}));
        await settle();
        stream.destroy("error" as unknown as Error);
        return (await run).reason;
      },
      async cancel(stage) {
        const { readable, writable } = fromNode(transformer(stage), { as: "pair" });
        const writer = writable.getWriter();
        writer.closed.catch(() => {});
        writer.write(1).catch(() => {});
        await settle();
        await readable.cancel("cancel");
        return "cancel";
      },
      async native(stage) {
        const stream = toNode(new TransformStream(stage)).on("error", () => {});
        stream.resume().write(1);
        await settle();
        stream.destroy("native" as unknown as Error);
        return "native";
      },
    };
    for (const [way, end] of Object.entries(ways)) {
      const { heard, hang } = hanging();
      const reason = await end(make(hang));
      await settle();
      assertEquals([heard, reason], [[way], way]);
    }
  });
}

test("a stage that has failed or ended hears of no cancel", async () => {
  for (const reason of reasons) {
    const signals: AbortSignal[] = [];
    const stage = map((chunk: number, _index, { signal }) => {
      signals.push(signal);
      if (chunk === 2) throw reason;
      return chunk;
    });
    assertStrictEquals((await rejection(pipeline([1, 2], stage, () => {}))).reason, reason);
    await pipeline([1], stage, () => {});
    assertEquals(signals.map(({ aborted }) => aborted), [false, false, false]);
  }
});
