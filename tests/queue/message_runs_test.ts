import { map, type Transformer } from "@hosepipe/streams";
import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { planStages } from "../../src/engine/plan_stages.ts";
import type { Ending } from "../../src/engine/ports.ts";
import { TimedTurnBudget } from "../../src/engine/turn_budget.ts";
import { FilterKernel } from "../../src/kernels/filter.ts";
import type { OneKernel } from "../../src/kernels/kernel.ts";
import { MapKernel } from "../../src/kernels/map.ts";
import { LeasedMessage } from "../../src/queue/message.ts";
import { KernelRun, MessageRun, MessageRuns, type RunHost } from "../../src/queue/message_runs.ts";
import type { MessageOutput } from "../../src/queue/output.ts";
import { noPlace } from "../lib/no_place.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";
import { withNotedTimers } from "../lib/with_noted_timers.ts";
import { admitAll, ledgerOf, MemoryQueue, numbers } from "./_memory_queue.ts";

/** A message of its own, with this body. */
function messageOf(body: unknown): LeasedMessage {
  const delivery = { id: "0", body, receipt: {}, deliveries: 1, failures: 0, isolations: 0 };
  return new LeasedMessage(delivery as never, {});
}

/** Notes what it is given and how the work ends; `answer` says what it answers each output. */
function notingHost(
  answer: (value: unknown) => Promise<void> | undefined = () => undefined,
) {
  const given: unknown[] = [];
  const endings: Ending[] = [];
  const host: RunHost = {
    give(_message, value) {
      given.push(value);
      return answer(value);
    },
    end: (_work, _message, ending) => void endings.push(ending),
  };
  return { host, given, endings };
}

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

type Answer = (value: unknown) => Promise<void> | undefined;

/** Never over, however busy the machine is. */
class EndlessTurn extends TimedTurnBudget {
  override isOver(): boolean {
    return false;
  }
}

/** A run of a message through some stages, which is not begun. */
function runOf(stages: readonly Transformer[], answer?: Answer) {
  const noted = notingHost(answer);
  const plans = planStages("run", stages);
  const message = messageOf("a\nb\nc\n");
  return { ...noted, run: new MessageRun(noted.host, message, plans, noPlace, new EndlessTurn()) };
}

test("a run that is cancelled gives nothing more, not even what waits, and does not end", async () => {
  for (const isTaken of [true, false]) {
    const cancelled: unknown[] = [];
    const gate = Promise.withResolvers<void>();
    const stage: Transformer = {
      async transform(_chunk, controller) {
        await turns(1);
        for (const value of [1, 2, 3]) controller.enqueue(value);
      },
      cancel: (reason) => void cancelled.push(reason),
    };
    const { run, given, endings } = runOf([stage], () => gate.promise);
    run.start();
    while (given.length === 0) await turns(1);
    run.cancel("over");
    run.cancel("again");
    assertEquals([run.isEnded, cancelled], [true, ["over"]]);
    if (isTaken) gate.resolve();
    else gate.reject(new Error("not taken"));
    await turns(3);
    assertEquals([given, endings, cancelled], [[1], [], ["over"]]);
  }
});

test("what the host throws, or answers by a failure, ends the run with it, and cancels its stages", async () => {
  for (const reason of [new Error("full"), undefined]) {
    for (const isLate of [false, true]) {
      const cancelled: unknown[] = [];
      const stage: Transformer = {
        async transform(_chunk, controller) {
          controller.enqueue(1);
          await turns(1);
          controller.enqueue(2);
          await new Promise(() => {});
        },
        cancel: (reason) => void cancelled.push(reason),
      };
      const { run, endings } = runOf([stage], (value) => {
        if (value !== 2) return;
        if (isLate) return Promise.reject(reason);
        throw reason;
      });
      run.start();
      while (!run.isEnded) await turns(1);
      await turns(2);
      assertEquals([endings, cancelled], [[{ failed: true, reason }], [reason]]);
    }
  }
});

test("a start that throws is how the run fails, and nothing else of its stages is called", async () => {
  const calls: string[] = [];
  let kept: TransformStreamDefaultController | undefined;
  const stage: Transformer = {
    start(controller) {
      kept = controller;
      throw undefined;
    },
    transform: () => void calls.push("transform"),
    flush: () => void calls.push("flush"),
  };
  const { run, given, endings } = runOf([stage]);
  run.start();
  await turns(2);
  assertEquals([endings, given, calls], [[{ failed: true, reason: undefined }], [], []]);
  assertThrows(() => kept!.enqueue(1), TypeError, "Cannot enqueue");
});

interface Parts {
  readonly concurrency?: number;
  readonly stages: readonly Transformer[];
}

/** The runs of `count` messages that are begun, over a stream whose room is what it is set to. */
async function runsOf(count: number, { concurrency = 1, stages }: Parts) {
  const queue = new MemoryQueue(numbers(count));
  const ledger = ledgerOf<unknown>(queue);
  const messages = await admitAll(queue, ledger);
  for (const message of messages) ledger.begin(message);
  const values: unknown[] = [];
  const controller = {
    desiredSize: 0 as number | null,
    enqueue: ({ value }: MessageOutput) => void values.push(value),
  };
  const runs = new MessageRuns(
    controller as never,
    planStages("run", stages),
    concurrency,
    noPlace,
  );
  const end = async () => {
    await ledger.nackRest();
    await ledger.whenSettled();
  };
  return { queue, ledger, messages, controller, values, runs, end };
}

/** A stage whose functions wait until they are let, one for each message, and note their signals. */
function gated() {
  const gates: PromiseWithResolvers<unknown>[] = [];
  const signals: AbortSignal[] = [];
  const stage = map((_chunk: unknown, _index, { signal }) => {
    signals.push(signal);
    gates.push(Promise.withResolvers());
    return gates.at(-1)!.promise;
  });
  return { stage: stage as Transformer, gates, signals };
}

test("the next message may come while fewer than concurrency are in work", async () => {
  const { stage, gates } = gated();
  const { runs, messages, values, queue, end } = await runsOf(4, {
    concurrency: 2,
    stages: [stage],
  });
  assertEquals([runs.finish(), runs.add(messages[0]!)], [undefined, undefined]);
  const second = runs.add(messages[1]!)!;
  assertEquals((await settledWithin(second, 3)).state, "pending");
  gates[1]!.resolve("b");
  await second;
  const third = runs.add(messages[2]!)!;
  const finished = runs.finish()!;
  gates[0]!.resolve("a");
  await third;
  assertEquals((await settledWithin(finished, 3)).state, "pending");
  gates[2]!.resolve("c");
  await finished;
  assertEquals([values, runs.finish()], [["b", "a", "c"], undefined]);
  await end();
  assertEquals(queue.failed, []);
});

for (const kind of ["operators alone", "other stages"]) {
  test(`after a cancel nothing is waited for, what is in work is stopped and has not failed: ${kind}`, async () => {
    const { stage, gates, signals } = gated();
    const stages = kind === "operators alone" ? [stage] : [stage, { flush() {} }];
    const { runs, messages, queue, values, end } = await runsOf(3, { concurrency: 3, stages });
    for (const message of messages) runs.add(message);
    const finished = runs.finish()!;
    runs.cancel("over");
    runs.cancel("again");
    // This one ends by itself before it is stopped: it is not counted as a failure either.
    gates[0]!.reject(new Error("ends meanwhile"));
    await finished;
    const stopped = signals.slice(1);
    while (!stopped.every(({ aborted }) => aborted)) await turns(1);
    assertEquals(stopped.map(({ reason }) => reason), ["over", "over"]);
    gates[1]!.reject(new Error("late"));
    gates[2]!.resolve("late");
    await turns(3);
    assertEquals([queue.failed, values], [[], []]);
    await end();
    assertEquals(queue.nacked.toSorted(), ["0", "1", "2"]);
  });
}

test("a message waits while more than 64 outputs lie behind it, asks ever less often, and a cancel ends the wait", async () => {
  for (const end of ["room", "cancel"]) {
    const { stage, gates } = gated();
    const { runs, messages, controller, end: nack } = await runsOf(3, { stages: [stage] });
    controller.desiredSize = -64;
    const first = runs.add(messages[0]!)!;
    gates[0]!.resolve("a");
    await first;
    controller.desiredSize = -65;
    const second = runs.add(messages[1]!)!;
    let asked = 0;
    const delays = await withNotedTimers(async () => {
      gates[1]!.resolve("b");
      await second;
    }, (set, callback) => {
      if (++asked === 7) {
        if (end === "room") controller.desiredSize = -64;
        else runs.cancel("over");
      }
      return set(callback, 0);
    });
    // Fifty microtasks have asked before.
    assertEquals(delays, [0, 0, 0, 0, 1, 1, 1], end);
    await nack();
  }
});

test("what a message gives once it is not ours any more is dropped, and fails nothing", async () => {
  const { stage, gates } = gated();
  const { runs, messages, values, queue, ledger } = await runsOf(1, { stages: [stage] });
  const added = runs.add(messages[0]!)!;
  await ledger.nackRest();
  gates[0]!.resolve("late");
  await added;
  assertEquals([values, queue.nacked, queue.failed], [[], ["0"], []]);
});

test("where the stream behind has ended, all that is in work is stopped with its reason, and nothing has failed", async () => {
  const { stage, gates, signals } = gated();
  const { runs, messages, controller, queue, end } = await runsOf(2, {
    concurrency: 2,
    stages: [stage],
  });
  const reason = new TypeError("ended");
  controller.enqueue = () => {
    throw reason;
  };
  for (const message of messages) runs.add(message);
  gates[0]!.resolve("a");
  while (!signals[1]!.aborted) await turns(1);
  assertEquals(signals[1]!.reason, reason);
  await turns(2);
  assertEquals(queue.failed, []);
  await end();
  assertEquals(queue.nacked.toSorted(), ["0", "1"]);
});

test("a message that was given back before its turn is not begun", async () => {
  const begun: unknown[] = [];
  const note = map((chunk: unknown) => {
    begun.push(chunk);
    return chunk;
  });
  const { queue, ledger, messages, runs, values, end } = await runsOf(3, { stages: [note] });
  runs.add(messages[0]!);
  await ledger.nack([messages[1]!]);
  runs.add(messages[1]!);
  runs.add(messages[2]!);
  assertEquals([begun, values, queue.nacked], [["0", "2"], ["0", "2"], ["1"]]);
  await end();
});
