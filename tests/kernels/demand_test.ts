import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { Demand, whenRoom } from "../../src/kernels/demand.ts";
import { turns } from "../lib/turns.ts";
import { withQuickTimers } from "../lib/with_quick_timers.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

/** A room of a stream whose readable side has that mark. */
function open(highWaterMark: number) {
  let controller!: TransformStreamDefaultController<unknown>;
  let room!: Demand;
  const { readable } = new TransformStream(
    {
      start(given) {
        controller = given;
        room = new Demand(given);
      },
    },
    undefined,
    { highWaterMark },
  );
  return { controller, room, reader: readable.getReader() };
}

test("it asks 50 times by microtasks, then by timers, ever later", async () => {
  const { room } = open(0);
  let asked = 0;
  const delays = await withQuickTimers(() =>
    room.until(() => {
      asked++;
      return asked === 100;
    })
  );
  assertEquals(asked - delays.length, 50);
  const steps = delays.map((_, index) => Math.floor(index / 4));
  assertEquals(delays, steps);
});

test("a stream that says when it has room is asked then, and by no timer", () =>
  withTimerCount(async (pending) => {
    const looks: (() => void)[] = [];
    const controller = {
      desiredSize: 0,
      [whenRoom]: (look: () => void) => void looks.push(look),
    };
    const tell = () => looks.splice(0).forEach((look) => look());
    const room = new Demand(controller as unknown as TransformStreamDefaultController);
    let isSo = false;
    const waiting = room.until(() => isSo);
    await turns(1);
    tell();
    assertEquals([looks.length, pending()], [1, 0]);
    isSo = true;
    tell();
    await waiting;
    assertEquals([looks.length, pending()], [0, 0]);
    let count = 0;
    // One callback at a time, and none that is stopped.
    room.later(() => count++, 10);
    room.later(() => count++, 10);
    tell();
    room.later(() => count++, 10);
    room.stopLater();
    tell();
    assertEquals([count, looks.length, pending()], [1, 0, 0]);
  }));
