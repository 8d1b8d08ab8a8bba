import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { TimedTurnBudget } from "../../src/engine/turn_budget.ts";
import { TurnDriver } from "../../src/pipeline/turn_driver.ts";

/** A turn budget whose next turns a test lets come. */
class HeldTurns extends TimedTurnBudget {
  readonly held: (() => void)[] = [];
  override next(callback: () => void): void {
    this.held.push(callback);
  }
}

/** A driver that does as `script` says, and notes what is asked of it. */
class Noting extends TurnDriver {
  readonly calls: string[] = [];
  isOver = false;
  onRun: () => void = () => {};
  readonly answers: boolean[];
  constructor(turn: TimedTurnBudget, answers: boolean[]) {
    super(turn);
    this.answers = answers;
  }
  protected override isStopped(): boolean {
    return this.isOver;
  }
  protected override run(): boolean {
    this.calls.push("run");
    this.onRun();
    return this.answers.shift() ?? false;
  }
  protected override drain(): void {
    this.calls.push("drain");
  }
}

test("once its turn is over it does nothing until the next, which first drains", () => {
  const turn = new HeldTurns();
  const driver = new Noting(turn, [false, true, false]);
  driver.resume();
  assertEquals([driver.calls, turn.held.length], [["run"], 0]);
  driver.resume();
  driver.resume();
  assertEquals([driver.calls, turn.held.length], [["run", "run"], 1]);
  turn.held.pop()!();
  assertEquals(driver.calls, ["run", "run", "drain", "run"]);
  driver.resume();
  assertEquals(driver.calls.length, 5);
});

test("one that is paused from within waits for one turn, not two", () => {
  const turn = new HeldTurns();
  const driver = new Noting(turn, [true, true]);
  driver.onRun = () => {
    driver.onRun = () => {};
    driver.resume();
  };
  driver.resume();
  assertEquals([driver.calls, turn.held.length], [["run", "run"], 1]);
});

test("one that is stopped does nothing more, in the next turn either", () => {
  const turn = new HeldTurns();
  const driver = new Noting(turn, [true]);
  driver.resume();
  driver.isOver = true;
  turn.held.pop()!();
  driver.resume();
  assertEquals(driver.calls, ["run", "drain"]);
});
