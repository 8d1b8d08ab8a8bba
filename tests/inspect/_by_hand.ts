import { probe, type ProbeEvent, type ProbeOutput } from "@hosepipe/streams/inspect";
import { assert, assertEquals } from "@std/assert";

/** The queue of a stream that is driven by hand, with what its controller offers. */
export class HandQueue {
  readonly chunks: unknown[] = [];
  readonly highWaterMark: number;
  failure: unknown;

  readonly #size: (chunk: unknown) => number;

  constructor(highWaterMark: number, size: (chunk: unknown) => number = () => 1) {
    this.highWaterMark = highWaterMark;
    this.#size = size;
  }

  get desiredSize(): number {
    return this.chunks.reduce<number>(
      (left, chunk) => left - this.#size(chunk),
      this.highWaterMark,
    );
  }

  enqueue(chunk: unknown): void {
    if (chunk === "too much") throw new RangeError("too much");
    this.chunks.push(chunk);
  }

  close(): void {}

  terminate(): void {}

  error(reason: unknown): void {
    this.failure = reason;
  }
}

/** A source, a transformer and a sink in a probe, whose clock goes only when they work. */
export function driven({ stepMs = 1, isSync = true, isExact = true } = {}) {
  let nowMs = 100;
  const now = () => nowMs;
  const work = (ms: number): void => void (nowMs += ms * stepMs);
  const look = probe({ ...isExact ? { now } : {}, identify: (chunk) => `<${chunk}>` });
  const [read, changed] = [new HandQueue(2), new HandQueue(1)];
  let next = 0;
  const source = look.reader<number>({
    pull(controller) {
      work(2);
      controller.enqueue(++next);
    },
  }) as Required<UnderlyingDefaultSource<number>>;
  const stage = look.transformer<number, number>({
    transform(n, controller) {
      work(3);
      controller.enqueue(n * 10);
    },
  }) as Required<Transformer<number, number>>;
  const writes: (() => void)[] = [];
  const sink = look.writer<number>({
    write() {
      work(5);
      if (!isSync) return new Promise<void>((resolve) => writes.push(resolve));
    },
  });
  source.start(read as never);
  stage.start(changed as never);
  sink.start({ signal: new AbortController().signal, error() {} } as never);
  return {
    ...{ look, read, changed, work, now, writes, source, stage, sink },
    pull: () => source.pull(read as never),
    transform: () => stage.transform(read.chunks.shift() as number, changed as never),
    write: () => sink.write(changed.chunks.shift() as number),
  };
}

const places = [
  ...["readerOut", "transformerIn", "transforming", "transformerOut", "writerIn", "writing"],
  "written",
] as const;

/** Events, one a line: when, which, how much room was left, how long it took, and where the chunks were. */
export function shown(look: ProbeOutput): string[] {
  return look.events().map((event) =>
    [
      `${event.timeMs} ${event.stage} ${event.event}`,
      event.id ?? "",
      event.reason ?? "",
      event.desiredSize === undefined ? "" : `room ${event.desiredSize}`,
      event.wantsMore === undefined ? "" : event.wantsMore ? "goes on" : "waits",
      event.durationMs === undefined ? "" : `took ${event.durationMs}`,
      places.map((place) => event.occupancy[place as keyof typeof event.occupancy]).join(""),
    ].filter(Boolean).join(", ")
  );
}

/** How long each stage worked, and for how long the room on either side of it was full, of `elapsedMs` in all. */
export function loads(look: ProbeOutput, elapsed: number): string[] {
  const time = (share: number | undefined) =>
    share === undefined ? "none" : Math.round(share * elapsed);
  return look.bottleneck().stages.map(({ stage, busyShare, fullnessBefore, fullnessAfter }) =>
    `${stage} worked ${time(busyShare)}, before it ${time(fullnessBefore)}, after it ${
      time(fullnessAfter)
    }`
  );
}

/** Asserts that at every event what was read is somewhere, for stages that make one chunk of one; answers how many. */
export function assertConserved(events: readonly ProbeEvent[]): number {
  let read = 0;
  let written = 0;
  for (const { event, stage, occupancy } of events) {
    if (event === "read") read++;
    if (event === "written") written++;
    const counts = Object.values(occupancy);
    assert(counts.every((count) => Number.isInteger(count) && count >= 0), `${event} ${counts}`);
    assertEquals(counts.reduce((sum, count) => sum + count, 0), read, `${event} of ${stage}`);
    assertEquals(occupancy.written, written);
  }
  return read;
}

/** Runs, and answers what was thrown again in microtasks, where it does no harm. */
export async function thrownDuring(run: () => Promise<unknown>): Promise<unknown[]> {
  const thrown: unknown[] = [];
  const { queueMicrotask: real } = globalThis;
  globalThis.queueMicrotask = (task) =>
    real(() => {
      try {
        task();
      } catch (reason) {
        thrown.push(reason);
      }
    });
  try {
    await run();
    return thrown;
  } finally {
    globalThis.queueMicrotask = real;
  }
}
