import { assertEquals } from "@std/assert";
import { Readable, Transform, Writable } from "node:stream";
import { test } from "node:test";
import { VirtualClock } from "../../../scenarios/demo/demo_clock.ts";
import { type Demo, demos } from "../../../scenarios/demo/demos.ts";
import { count, delaysOf, demoOf, eventsOf } from "./_run.ts";

/** What node's streams do in a demo when written by hand, with nothing of ours but the clock. */
async function byHand(demo: Demo, seed: number): Promise<string[]> {
  const log: string[] = [];
  const clock = new VirtualClock();
  const delays = delaysOf(demo, seed);
  const options = { objectMode: true, highWaterMark: demo.highWaterMark };
  let read = 0;
  let batch = 0;
  let writes = 0;
  let inFlight = 0;

  class Reader extends Readable {
    override _read() {
      if (read < demo.messages) batch++;
      for (let place = 1; place <= demo.batchSize; place++) {
        if (read === demo.messages) {
          log.push("end");
          this.push(null);
          return;
        }
        read++;
        const id = demo.batchSize === 1 ? `${read}` : `${batch}.${String(place).padStart(2, "0")}`;
        log.push(`read ${id}`);
        this.push(id);
      }
    }
  }
  class Stage extends Transform {
    override _transform(id: string, _encoding: string, callback: () => void) {
      log.push(`transform ${id}`);
      this.push(id);
      callback();
    }
    override _flush(callback: () => void) {
      log.push("transformer final");
      callback();
    }
  }
  const write = (id: string, finished: (number: number) => void) => {
    log.push(`write ${id}`);
    inFlight++;
    const number = ++writes;
    const finish = () => {
      log.push(`written ${id}`);
      inFlight--;
      finished(number);
    };
    if (demo.writer === "fast") finish();
    else clock.sleep(delays[number - 1]!).then(finish);
  };
  class Writer extends Writable {
    #next: (() => void) | undefined;
    #final: (() => void) | undefined;
    override _write(id: string, _encoding: string, callback: () => void) {
      this.#next = callback;
      // Which write may call back: only the last one started can, each having one callback.
      const release = () => {
        const next = this.#next;
        this.#next = undefined;
        next?.();
      };
      write(id, (number) => {
        if (inFlight === 0) this.#final?.();
        if (number === writes) release();
      });
      if (inFlight < demo.concurrency) release();
    }
    override _final(callback: () => void) {
      const end = () => {
        log.push("writer final");
        callback();
      };
      if (inFlight === 0) end();
      else this.#final = end;
    }
  }
  const stage = new Reader(options).pipe(new Stage(options));
  if (demo.number === "06") {
    stage.on("data", (id: string) => {
      write(id, () => stage.resume());
      if (inFlight >= demo.concurrency) stage.pause();
    });
  } else if (demo.writer !== "none") stage.pipe(new Writer(options));
  await clock.run(undefined);
  return log;
}

function untilWritten(log: readonly string[]): string[] {
  return log.slice(0, log.findIndex((line) => line.startsWith("written")) + 1);
}

async function byTwins(demo: Demo, seed: number): Promise<string[]> {
  return (await eventsOf(demo, "node", seed)).map(({ event, stage, id }) =>
    id === null ? (event === "end" ? "end" : `${stage} final`) : `${event} ${id}`
  );
}

for (const demo of demos) {
  test(`demo ${demo.number}: the events of node streams, as written by hand`, async () => {
    for (const seed of [1, 2]) {
      for (const highWaterMark of [demo.highWaterMark, 1, 16]) {
        for (const batchSize of [demo.batchSize, 3]) {
          const changed = { ...demo, highWaterMark, batchSize };
          const [hand, twins] = [await byHand(changed, seed), await byTwins(changed, seed)];
          if (demo.concurrency === 1) assertEquals(twins, hand);
          else {
            assertEquals(untilWritten(twins), untilWritten(hand));
            // Later, too, nothing is lost.
            assertEquals(
              twins.toSorted(),
              hand.concat(demo.number === "06" ? "writer final" : [])
                .toSorted(),
            );
          }
        }
      }
    }
  });
}

test("demo 01: one message at a time through transformer and writer", async () => {
  const events = await eventsOf(demoOf("01"), "node");
  assertEquals(events.slice(0, 7).map(({ event, id }) => `${event} ${id}`), [
    ...["read 1", "read 2", "transform 1", "write 1", "written 1", "read 3", "transform 2"],
  ]);
});

test("demo 03: the pulse in pairs: after two writes, two are taken on", async () => {
  const events = await eventsOf(demoOf("03"), "node");
  const pulses: string[] = [];
  let written = 0;
  for (const { event, id } of events) {
    if (event === "written") written++;
    if (written > 0 && event === "transform") pulses.push(`${id} after ${written}`);
  }
  assertEquals(pulses, [
    "5 after 2",
    "6 after 2",
    "7 after 4",
    "8 after 4",
    "9 after 6",
    "10 after 6",
  ]);
});

test("demo 04: 15 messages in the pipe before the first is written, 16 at most", async () => {
  const events = await eventsOf(demoOf("04"), "node");
  const first = events.findIndex(({ event }) => event === "written");
  assertEquals(count(events.slice(0, first), "read"), 15);
  const inPipe = events.map(({ occupancy: { written: _, ...rest } }) =>
    Object.values(rest).reduce((sum, n) => sum + n, 0)
  );
  assertEquals(Math.max(...inPipe), 16);
});
