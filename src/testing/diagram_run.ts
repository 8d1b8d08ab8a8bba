import type { CurrentTime } from "./current_time.ts";
import type { DiagramKind, DiagramPlan } from "./diagram_options.ts";
import { iteratorOpener } from "./iterator_opener.ts";
import { testSink } from "./test_sink.ts";
import { testSource } from "./test_source.ts";

/** One thing that has happened, with its chunk or its reason. */
export interface SeenEvent {
  readonly kind: DiagramKind;
  readonly atMs: number;
  readonly value: unknown;
}

/** What happened at the ends of a stage. */
export interface SeenDiagram {
  readonly ins: readonly (readonly SeenEvent[])[];
  readonly out: readonly SeenEvent[];
}

/** Chunks and reasons of a diagram. */
export interface DiagramChunks {
  valueOf(letter: string): unknown;
  readonly failure: unknown;
  readonly cancellation: unknown;
}

type Note = (kind: DiagramKind, value?: unknown) => unknown;
type Open = (...sources: ReadableStream<unknown>[]) => unknown;

/** The iterator of what a stage gives, with notes of what it gave. */
function watched(output: unknown, note: Note): AsyncIterable<unknown> {
  const open = iteratorOpener<unknown>("expect diagram", "what the stage gives", output);
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = open();
      return {
        next: async () => {
          try {
            const result = await iterator.next();
            if (result.done) note("end");
            else note("chunk", result.value);
            return result;
          } catch (reason) {
            note("fail", reason);
            throw reason;
          }
        },
        return: async (reason) => {
          await iterator.return?.(reason);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** Runs a stage between ends that do what the diagrams say, while the clock moves to where they end. */
export async function runDiagram(
  open: Open,
  { ins, out, demand }: DiagramPlan,
  chunks: DiagramChunks,
  time: CurrentTime,
): Promise<SeenDiagram> {
  const startMs = time.now;
  const seen = { ins: ins.map((): SeenEvent[] => []), out: [] as SeenEvent[] };
  const noteIn = (list: SeenEvent[]): Note => (kind, value) =>
    void list.push({ kind, atMs: time.now - startMs, value });
  const sources = seen.ins.map((list) =>
    testSource<unknown>({ cancel: (reason) => noteIn(list)("cancel", reason) })
  );
  const sink = testSink<unknown>({ requested: demand === undefined ? Infinity : 0 });
  // What comes after its cancel is no news to the sink.
  const noteOut: Note = (kind, value) => sink.state === "open" && noteIn(seen.out)(kind, value);
  const timers: ReturnType<typeof setTimeout>[] = [];
  const now: (() => void)[] = [];
  const at = (atMs: number, go: () => void) => {
    if (atMs === 0) now.push(go);
    else timers.push(setTimeout(go, atMs));
  };
  // Set before the stage has a timer, so that of two at one time what is given comes first.
  for (const { atMs, name } of demand?.events ?? []) {
    const count = name === "*" ? Infinity : Number(name);
    at(atMs, () => sink.state === "open" && sink.request(count));
  }
  ins.forEach(({ events }, place) => {
    const source = sources[place]!;
    for (const { kind, atMs, name } of events) {
      if (kind === "cancel") continue;
      at(atMs, () => {
        if (source.state !== "open") return;
        const value = kind === "chunk" ? chunks.valueOf(name) : chunks.failure;
        noteIn(seen.ins[place]!)(kind, value);
        if (kind === "chunk") source.give(value);
        else if (kind === "end") source.end();
        else source.fail(value);
      });
    }
  });
  for (const { kind, atMs } of out.events) {
    if (kind !== "cancel") continue;
    at(atMs, () => {
      if (sink.state !== "open") return;
      noteOut("cancel", chunks.cancellation);
      sink.fail(chunks.cancellation);
    });
  }
  let isOpen = false;
  try {
    sink.readFrom(watched(open(...sources.map(({ readable }) => readable)), noteOut));
    isOpen = true;
    for (const go of now) go();
    await time.advance(Math.max(...[...ins, out].map(({ endsAtMs }) => endsAtMs), 0));
    return copyLists(seen);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    if (isOpen && sink.state === "open") sink.fail(chunks.cancellation);
    for (const source of sources) if (source.state === "open") source.end();
    await time.advance(0);
  }
}

/** The lists as they are now: what happens while all is closed is no part of them. */
function copyLists({ ins, out }: SeenDiagram): SeenDiagram {
  return { ins: ins.map((list) => [...list]), out: [...out] };
}
