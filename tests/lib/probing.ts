import process from "node:process";
import { assertEquals } from "@std/assert";
import { type Probe, probe } from "@hosepipe/streams/inspect";
import { turns } from "./turns.ts";

/** Whether the parts that tests make are probed: then they must do the same. */
export const isProbing: boolean = process.env.HOSEPIPE_PROBED === "1";

/** Kept short: an event is looked at when a run is over. */
const capacity = 16;
const looks = new WeakMap<object, Probe>();
const binders = new WeakMap<object, (look: Probe) => void>();

/** Makes a stream, its source probed if parts are. */
export function makeReadable<T>(
  source: UnderlyingDefaultSource<T>,
  strategy?: QueuingStrategy<T>,
): ReadableStream<T> {
  if (!isProbing) return new ReadableStream(source, strategy);
  const look = probe({ capacity });
  const readable = new ReadableStream(look.reader(source), strategy);
  looks.set(readable, look);
  return readable;
}

/** Makes a stream, its sink probed if parts are: by the probe of the source that is run into it. */
export function makeWritable<T>(
  sink: UnderlyingSink<T>,
  strategy?: QueuingStrategy<T>,
): WritableStream<T> {
  if (!isProbing) return new WritableStream(sink, strategy);
  let bound: UnderlyingSink<T> = sink;
  let given!: WritableStreamDefaultController;
  const writable = new WritableStream<T>({
    start(controller) {
      given = controller;
      return sink.start?.(controller);
    },
    write: (chunk, controller) => bound.write?.(chunk, controller),
    close: () => bound.close?.(),
    abort: (reason) => bound.abort?.(reason),
  }, strategy);
  binders.set(writable, (look) => {
    // It has started already.
    const { start: _, ...rest } = sink;
    const probed = look.writer(rest as UnderlyingSink<T>);
    void probed.start(given);
    bound = probed as UnderlyingSink<T>;
  });
  return writable;
}

/** The probe of a stream's source, or another. */
export function lookOf(source: object): Probe {
  return looks.get(source) ?? probe({ capacity });
}

/**
 * Runs into a sink that is probed too, and asserts that what was counted adds up. What is before a stage that hangs in a
 * native chain may never learn that its run has ended: there no count is looked at, unless `ends`.
 */
export async function runProbed<T>(
  look: Probe,
  sink: object,
  ends: boolean,
  run: () => Promise<T>,
): Promise<T> {
  binders.get(sink)?.(look);
  try {
    return await run();
  } finally {
    await turns();
    if (ends) assertEquals(problemsOfCounts(look), []);
  }
}

/**
 * What is wrong with the counts of a pipeline that has ended: nothing may be left, and nothing ever below 0. Without a
 * probed writer its last queue does not say when it is empty.
 */
export function problemsOfCounts(look: Probe, writtenCount?: number): string[] {
  const hasWriter = look.buffers().some(({ kind }) => kind === "writerIn");
  const problems: string[] = [];
  let writtenEvents = 0;
  for (const { event, stage, seq, occupancy } of look.events()) {
    if (event === "written") writtenEvents++;
    for (const [place, count] of Object.entries(occupancy)) {
      if (Number.isInteger(count) && count >= 0) continue;
      problems.push(`counts: ${place} is ${count} at event ${seq}, ${event} of ${stage}`);
    }
    if (look.dropped() === 0 && occupancy.written !== writtenEvents) {
      problems.push(`counts: ${occupancy.written} written at event ${seq}, ${writtenEvents} seen`);
    }
  }
  const { written, ...left } = look.occupancy();
  for (const [place, count] of Object.entries(left)) {
    const isLast = !hasWriter && place === "transformerOut";
    if (count !== 0 && !isLast) problems.push(`counts: ${place} is ${count} at the end`);
  }
  if (writtenCount !== undefined && written !== writtenCount) {
    problems.push(`counts: ${written} written at the end, not ${writtenCount}`);
  }
  return problems.slice(0, 5);
}
