import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import type { Transformer } from "@hosepipe/streams";
import { planStages } from "../../src/engine/plan_stages.ts";
import { TimedTurnBudget } from "../../src/engine/turn_budget.ts";
import { MessageRun } from "../../src/queue/message_runs.ts";
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
