import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { OneKernel } from "../../src/kernels/kernel.ts";
import { FilterKernel } from "../../src/kernels/filter.ts";
import { MapKernel } from "../../src/kernels/map.ts";
import { KernelRun } from "../../src/queue/kernel_run.ts";
import { turns } from "../lib/turns.ts";
import { messageOf, notingHost } from "./_run_host.ts";
import { noPlace } from "../lib/no_place.ts";

type Context = { readonly signal: AbortSignal };

const mapped = (fn: (chunk: unknown, index: number, context: Context) => unknown) => () =>
  new MapKernel(fn as never);

test("a run through operators gives what they make of each message, and may be begun again", () => {
  const { host, given, endings } = notingHost();
  const indexes: number[] = [];
  const makers: (() => OneKernel)[] = [
    mapped((chunk, index) => {
      indexes.push(index);
      return Number(chunk) + 1;
    }),
    () => new FilterKernel((chunk) => chunk !== 3),
  ];
  const run = new KernelRun(host, makers, noPlace);
  for (const body of [1, 2, 5]) {
    run.start(messageOf(body));
    assertEquals(run.isEnded, true);
  }
  assertEquals([given, indexes], [[2, 6], [0, 0, 0]]);
  assertEquals(endings, [{ failed: false }, { failed: false }, { failed: false }]);
});

test("a run through operators that waits for its output to be taken ends after that", async () => {
  const gate = Promise.withResolvers<void>();
  const { host, given, endings } = notingHost(() => gate.promise);
  const run = new KernelRun(host, [mapped((chunk) => chunk)], noPlace);
  run.start(messageOf("a"));
  await turns(1);
  assertEquals([given, endings, run.isEnded], [["a"], [], false]);
  gate.resolve();
  await turns(1);
  assertEquals([endings, run.isEnded], [[{ failed: false }], true]);
});

test("a cancel aborts the signal of each function that was called, with the reason, once", async () => {
  for (const isKept of [true, false]) {
    const signals: AbortSignal[] = [];
    const gate = Promise.withResolvers<unknown>();
    const { host, given, endings } = notingHost();
    const run = new KernelRun(host, [
      mapped((chunk, _index, context) => {
        signals.push(context.signal);
        return chunk;
      }),
      mapped((_chunk, _index, context) => {
        signals.push(context.signal);
        return gate.promise;
      }),
      mapped(() => {
        throw new Error("not called");
      }),
    ], noPlace);
    run.start(messageOf("a"));
    assertEquals(signals.map(({ aborted }) => aborted), [false, false]);
    run.cancel("over");
    run.cancel("again");
    assertEquals(signals.map(({ reason }) => reason), ["over", "over"]);
    if (isKept) gate.resolve(1);
    else gate.reject(new Error("late"));
    await turns(2);
    assertEquals([run.isEnded, given, endings], [true, [], []]);
  }
});

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
