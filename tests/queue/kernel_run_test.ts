import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { OneKernel } from "../../src/kernels/kernel.ts";
import { FilterKernel } from "../../src/kernels/filter.ts";
import { MapKernel } from "../../src/kernels/map.ts";
import { KernelRun } from "../../src/queue/message_runs.ts";
import { turns } from "../lib/turns.ts";
import { messageOf, notingHost } from "./_run_host.ts";
import { noPlace } from "../lib/no_place.ts";

type Context = { readonly signal: AbortSignal };

const mapped = (fn: (chunk: unknown, index: number, context: Context) => unknown) => () =>
  new MapKernel(fn as never);

test("a function that throws or rejects, and a host that throws, fail the run with the reason", async () => {
  const fail = (reason: unknown) => () => {
    throw reason;
  };
  const keep = (): OneKernel => new FilterKernel(() => true);
  for (const reason of [new Error("no"), undefined]) {
    for (
      const makers of [
        [keep, mapped(fail(reason))],
        [keep, mapped(() => Promise.reject(reason))],
        [keep],
      ]
    ) {
      const { host, endings } = notingHost(fail(reason));
      const run = new KernelRun(host, makers, noPlace);
      run.start(messageOf("a"));
      await turns(1);
      assertEquals([endings, run.isEnded], [[{ failed: true, reason }], true]);
    }
  }
});

test("a function that fails aborts the signals of those before it, with what it threw", async () => {
  for (const isAsync of [false, true]) {
    const signals: AbortSignal[] = [];
    const reason = new Error("why");
    const { host, given, endings } = notingHost();
    const keep = mapped((chunk, _index, context) => {
      signals.push(context.signal);
      return chunk;
    });
    const run = new KernelRun(host, [
      keep,
      keep,
      mapped(() => {
        if (isAsync) return Promise.reject(reason);
        throw reason;
      }),
    ], noPlace);
    run.start(messageOf("a"));
    await turns(1);
    assertEquals(signals.map((signal) => [signal.aborted, signal.reason]), [
      [true, reason],
      [true, reason],
    ]);
    assertEquals([given, endings], [[], [{ failed: true, reason }]]);
  }
});
