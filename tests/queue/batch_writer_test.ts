import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { BatchWriter } from "../../src/queue/batch_writer.ts";
import { MessageOutput } from "../../src/queue/output.ts";
import { withNotedTimers } from "../lib/with_noted_timers.ts";
import { admitAll, ledgerOf, MemoryQueue } from "./_memory_queue.ts";

interface Entry {
  readonly deliveries?: number;
  readonly failures?: number;
}

type Save = (values: readonly unknown[]) => unknown;

/** A writer of messages that are begun, each with its own id as its only output, and what it reports. */
async function writerOf(
  entries: Record<string, Entry>,
  save: Save,
  { concurrency = 9, isOutage }: {
    readonly concurrency?: number;
    readonly isOutage?: (reason: unknown) => boolean | undefined;
  } = {},
) {
  const queue = new MemoryQueue();
  for (const [id, { failures = 0 }] of Object.entries(entries)) {
    queue.add(id, id, failures, failures);
  }
  const events: string[] = [];
  const ledger = ledgerOf<unknown>(queue, {
    maxFailures: 9,
    onEvent: (event) =>
      events.push("message" in event ? `${event.kind} ${event.message.id}` : event.kind),
  });
  const outputs = new Map<string, MessageOutput>();
  for (const message of await admitAll(queue, ledger)) {
    ledger.begin(message);
    outputs.set(message.id, new MessageOutput(message, message.id));
    ledger.complete(message);
  }
  const calls: string[] = [];
  const writer = new BatchWriter(ledger, async (outputs) => {
    const values = outputs.map(({ value }) => value);
    calls.push(values.join());
    await save(values);
  }, { concurrency, isOutage });
  const write = (...ids: string[]) => writer.write(ids.map((id) => outputs.get(id)!));
  return { queue, ledger, writer, calls, events, write };
}

interface Held {
  /** Lets all go on that waits for no timer. */
  steps(): Promise<void>;
  /** Ends the pause that was begun as the i-th. */
  fire(index?: number): Promise<void>;
  pauses(): number;
}

/** Lets no pause end by itself while `use` runs. */
async function withHeldTimers(use: (held: Held) => Promise<void>): Promise<void> {
  const callbacks: (() => void)[] = [];
  const steps = async () => {
    for (let step = 0; step < 40; step++) await Promise.resolve();
  };
  const fire = async (index?: number) => {
    if (index !== undefined) callbacks[index]!();
    await steps();
  };
  const held = { steps, fire, pauses: () => callbacks.length };
  // Those of the queue set none of a length.
  await withNotedTimers(
    () => use(held),
    (set, callback, ms) => ms === 0 ? set(callback, 0) : callbacks.push(callback),
  );
}

const refused = new Error("refused");

/** A store that refuses these, and takes all others. */
const refusing = (...ids: string[]): Save => (values) => {
  if (values.some((value) => ids.includes(value as string))) throw refused;
};

test("what fails while something else is stored is tried again at once, and fails if that is so again", async () => {
  const gates = new Map<unknown, PromiseWithResolvers<void>>();
  const { write, calls, events } = await writerOf(
    { good: {}, other: {}, bad: {} },
    async ([value]) => {
      gates.set(value, Promise.withResolvers());
      await gates.get(value)!.promise;
    },
  );
  await withHeldTimers(async ({ steps, pauses }) => {
    void write("good");
    void write("bad");
    await steps();
    gates.get("good")!.resolve();
    await steps();
    gates.get("bad")!.reject(refused);
    await steps();
    assertEquals([calls, pauses(), events], [["good", "bad", "bad"], 0, []]);
    void write("other");
    await steps();
    gates.get("other")!.resolve();
    await steps();
    // That was begun after the second try, which may have been too early.
    gates.get("bad")!.reject(refused);
    await steps();
    assertEquals([calls.slice(3), pauses(), events], [["other", "bad"], 0, ["outage"]]);
    gates.get("bad")!.reject(refused);
    await steps();
    assertEquals([calls.length, pauses(), events], [5, 0, ["outage", "failure bad"]]);
  });
});

test("a message that has failed before is to blame at its third try, though nothing is stored", async () => {
  const entries = { bad: { failures: 1 }, worse: { failures: 2 } };
  const { write, calls, events, writer } = await writerOf(entries, refusing("bad", "worse"));
  await withHeldTimers(async ({ fire, pauses }) => {
    void write("worse");
    const written = write("bad");
    await fire();
    assertEquals([calls, pauses(), events], [["worse", "bad"], 2, []]);
    await fire(1);
    assertEquals([calls.slice(2), pauses(), events], [["bad"], 3, ["outage"]]);
    await fire(2);
    await written;
    // The other has waited meanwhile: it is no better, and says nothing about the store.
    assertEquals([calls.slice(3), pauses(), events], [["bad"], 3, ["outage", "failure bad"]]);
    await fire(0);
    await fire(3);
    await writer.idle();
    assertEquals(events.slice(2), ["failure worse"]);
  });
});

test("while a message that never failed waits for the store, no other is to blame", async () => {
  let isOut = true;
  const { write, calls, events, writer } = await writerOf({ new: {}, bad: { failures: 1 } }, () => {
    if (isOut) throw refused;
  });
  await withHeldTimers(async ({ fire }) => {
    void write("new");
    void write("bad");
    await fire();
    for (let index = 1; index < 9; index++) await fire(index);
    assertEquals([calls.length, events], [10, ["outage"]]);
    isOut = false;
    await fire(0);
    await fire(9);
    await writer.idle();
    assertEquals(events, ["outage", "recovery"]);
  });
});

test("a batch that waits leaves its place to others, and comes before those that are new", async () => {
  const gates: PromiseWithResolvers<void>[] = [];
  const { write, calls, writer } = await writerOf({ a: {}, b: {}, c: {} }, async () => {
    gates.push(Promise.withResolvers());
    await gates.at(-1)!.promise;
  }, { concurrency: 1, isOutage: () => true });
  let frees = 0;
  writer.onFree = () => frees++;
  await withHeldTimers(async ({ fire, steps }) => {
    void write("a");
    await steps();
    assertEquals([writer.isFree, frees], [false, 0]);
    gates[0]!.reject(refused);
    await steps();
    assertEquals([writer.isFree, frees], [true, 1]);
    void write("b");
    await fire(0);
    assertEquals([calls, writer.isFree], [["a", "b"], false]);
    gates[1]!.resolve();
    await steps();
    // It has a place before it is asked whether there is one.
    assertEquals([calls, writer.isFree, frees], [["a", "b", "a"], false, 2]);
    gates[2]!.resolve();
    await writer.idle();
    assertEquals([writer.isFree, frees], [true, 3]);
  });
});
