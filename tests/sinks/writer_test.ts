import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { channel } from "../../src/sources/channel.ts";
import { pipeline } from "../../src/pipeline/pipeline.ts";
import { writer } from "../../src/sinks/writer.ts";
import type { StageContext } from "../../src/kernels/stage_context.ts";
import type { WriterOptions } from "../../src/sinks/writer_options.ts";
import { errorOf } from "../lib/error_of.ts";
import { held } from "../lib/held.ts";
import { turns } from "../lib/turns.ts";

/** A writer whose writes, close and abort are recorded, and settled by hand. */
function open(options: WriterOptions<number> = {}) {
  const { fn, calls } = held<void, [chunk: number, index: number]>();
  const ends: unknown[] = [];
  const writable = writer<number>(fn, {
    close: () => void ends.push("close"),
    abort: (reason) => void ends.push(["abort", reason]),
    ...options,
  });
  return { calls, ends, writable, begun: () => calls.map(({ args: [chunk] }) => chunk) };
}

test("writer() counts its queue by size()", () => {
  const { writable } = open({ highWaterMark: 10, size: (chunk) => chunk });
  const defaultWriter = writable.getWriter();
  assertEquals(defaultWriter.desiredSize, 10);
  void defaultWriter.write(4);
  assertEquals(defaultWriter.desiredSize, 6);
});

/** Five chunks; the source fails after them if that is what the option is about. */
async function* fiveThen(option: string) {
  yield* [0, 1, 2, 3, 4];
  if (option === "preventAbort") throw "source";
}

test("pipeline waits for all writes of a writer that it leaves open, and fails if one does", async () => {
  for (const concurrency of [1, 2, 4, 8]) {
    for (const highWaterMark of [1, 3]) {
      for (const failing of [0, 1, 4, 5]) {
        for (const option of ["preventClose", "preventAbort"] as const) {
          const log: string[] = [];
          const sink = writer<number>(async (chunk) => {
            await turns(chunk + 1);
            if (chunk === failing) throw "disk full";
            log.push(`${chunk}`);
          }, {
            concurrency,
            highWaterMark,
            release: () => turns(1).then(() => void log.push("end")),
          });
          const outcome = await pipeline(fiveThen(option), sink, { [option]: true }).then(
            ({ chunksWritten }) => chunksWritten,
            (reason) => reason,
          );
          const rest = option === "preventClose" ? 5 : "source";
          assertEquals(outcome, failing === 5 ? rest : "disk full");
          assertEquals(log.at(-1), failing === 5 ? "4" : "end");
          assertEquals(sink.locked, false);
        }
      }
    }
  }
});

test("a channel's flushNow waits for all writes of a writer", async () => {
  for (const fails of [false, true]) {
    const { fn, calls } = held<void>();
    const input = channel<number>();
    const running = errorOf(pipeline(input.readable, writer(fn, { concurrency: 4 })));
    await input.send(1);
    await input.send(2);
    let isFlushed = false;
    const flushed = errorOf(input.flushNow().then(() => void (isFlushed = true)));
    await turns();
    assertEquals([calls.length, isFlushed], [2, false]);
    calls[0]!.resolve();
    await turns();
    assertEquals(isFlushed, false);
    if (fails) calls[1]!.reject("why");
    else calls[1]!.resolve();
    assertEquals(await flushed, fails ? ["why"] : "none");
    input.close();
    assertEquals(await running, fails ? ["why"] : "none");
  }
});

test("a signal of a write that is asked for only after an abort or a failure has its reason", async () => {
  for (const end of ["abort", "failure"]) {
    const contexts: StageContext[] = [];
    const { fn, calls } = held<void>();
    const output = writer<number>((_chunk, _index, context) => {
      contexts.push(context);
      return fn();
    }, { concurrency: 3 }).getWriter();
    const closed = errorOf(output.closed);
    await Promise.all([output.write(0), output.write(1)]);
    const aborted = end === "abort" ? output.abort("why") : calls[0]!.reject("why");
    await turns();
    assertEquals([contexts[1]!.signal.aborted, contexts[1]!.signal.reason], [true, "why"]);
    for (const { resolve } of calls) resolve(undefined);
    await aborted;
    assertEquals(await closed, ["why"]);
  }
});
