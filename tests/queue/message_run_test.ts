import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { lines, type Transformer } from "@hosepipe/streams";
import { planStages } from "../../src/engine/plan_stages.ts";
import { TimedTurnBudget } from "../../src/engine/turn_budget.ts";
import { MessageRun } from "../../src/queue/message_run.ts";
import { turns } from "../lib/turns.ts";
import { messageOf, notingHost } from "./_run_host.ts";
import { noPlace } from "../lib/no_place.ts";

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

test("a run gives its outputs one by one, each once the one before was taken, and then ends", async () => {
  const gates: PromiseWithResolvers<void>[] = [];
  const { run, given, endings } = runOf([lines()], () => {
    gates.push(Promise.withResolvers());
    return gates.at(-1)!.promise;
  });
  run.start();
  for (const [index, line] of ["a", "b", "c"].entries()) {
    await turns(2);
    assertEquals([given.length, given.at(-1), endings, run.isEnded], [index + 1, line, [], false]);
    gates[index]!.resolve();
  }
  await turns(2);
  assertEquals([given, endings, run.isEnded], [["a", "b", "c"], [{ failed: false }], true]);
});

test("outputs that a stage gives while one is being taken wait, and it can see how many do", async () => {
  const sizes: (number | null)[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const late: Transformer = {
    async transform(_chunk, controller) {
      await turns(1);
      for (const value of [1, 2, 3]) {
        sizes.push(controller.desiredSize);
        controller.enqueue(value);
      }
      sizes.push(controller.desiredSize);
    },
  };
  const { run, given, endings } = runOf([late], () => {
    gates.push(Promise.withResolvers());
    return gates.at(-1)!.promise;
  });
  run.start();
  for (const values of [[1], [1, 2], [1, 2, 3]]) {
    while (given.length < values.length) await turns(1);
    await turns(2);
    assertEquals([given, endings], [values, []]);
    gates.at(-1)!.resolve();
  }
  while (endings.length === 0) await turns(1);
  assertEquals(sizes, [0, 0, -1, -2]);
  assertEquals(endings, [{ failed: false }]);
});

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

test("a run that is cancelled while its stage works is not heard of again", async () => {
  for (const isKept of [true, false]) {
    const gate = Promise.withResolvers<void>();
    const stage: Transformer = {
      async transform(chunk, controller) {
        await gate.promise;
        controller.enqueue(chunk);
      },
    };
    const { run, given, endings } = runOf([stage]);
    run.start();
    run.cancel(undefined);
    if (isKept) gate.resolve();
    else gate.reject(new Error("late"));
    await turns(3);
    assertEquals([given, endings], [[], []]);
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

test("once an output could not be given, those made in the same call are given to no one", () => {
  const many: Transformer = {
    transform(_chunk, controller) {
      for (const value of [1, 2, 3]) controller.enqueue(value);
    },
  };
  const reason = new Error("gone");
  const { run, given, endings } = runOf([many, {}], () => {
    throw reason;
  });
  run.start();
  assertEquals([given, endings], [[1], [{ failed: true, reason }]]);
});
