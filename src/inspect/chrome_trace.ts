import type { Recorder } from "./recorder.ts";
import type { ProbeEvent } from "./types.ts";

/** One entry of a trace, in the trace event format. */
export interface TraceEvent {
  /** What is shown. */
  readonly name: string;
  /** `M` a name, `X` a slice, `b` and `e` a slice that may overlap others, `C` a counter, `i` an instant. */
  readonly ph: "M" | "X" | "b" | "e" | "C" | "i";
  /** Always 1. */
  readonly pid: number;
  /** The number of the stage, counted from 1; 0 for the buffers. */
  readonly tid: number;
  /** In microseconds. */
  readonly ts: number;
  /** Of a slice, in microseconds. */
  readonly dur?: number;
  /** What connects `b` and `e`. */
  readonly id?: number;
  /** Of `b` and `e`. */
  readonly cat?: string;
  /** Of an instant: its own thread. */
  readonly s?: "t";
  /** Values and names. */
  readonly args?: Readonly<Record<string, string | number>>;
}

/** A trace that `chrome://tracing` and Perfetto open, once it is written as JSON. */
export interface ChromeTrace {
  /** The entries. */
  readonly traceEvents: readonly TraceEvent[];
  /** The unit that is shown. */
  readonly displayTimeUnit: "ms";
}

function microseconds(ms: number): number {
  return Math.round(ms * 1e6) / 1e3;
}

function toTraceEvents(event: ProbeEvent, tid: number): TraceEvent[] {
  const ts = microseconds(event.timeMs);
  const base = { pid: 1, tid, ts };
  const name = event.id === undefined ? event.event : `${event.event} ${event.id}`;
  const { readerOut, transformerIn, transformerOut, writerIn, writing } = event.occupancy;
  const counters: TraceEvent[] = [
    {
      ...base,
      name: "buffers",
      ph: "C",
      tid: 0,
      args: { readerOut, transformerIn, transformerOut, writerIn },
    },
    { ...base, name: "writes in flight", ph: "C", tid: 0, args: { writing } },
  ];
  if (event.event === "write") {
    // Writes overlap, which slices of one thread may not.
    const slice = { ...base, name, cat: "write", id: event.seq };
    const end = event.durationMs === undefined ? [] : [
      { ...slice, ph: "e", ts: microseconds(event.timeMs + event.durationMs) } as const,
    ];
    return [...counters, { ...slice, ph: "b" }, ...end];
  }
  if (event.event === "transform" && event.durationMs !== undefined) {
    return [...counters, { ...base, name, ph: "X", dur: microseconds(event.durationMs) }];
  }
  const args = event.reason === undefined ? {} : { args: { reason: event.reason } };
  return [...counters, { ...base, name, ph: "i", s: "t", ...args }];
}

/** Turns the events that are kept into a trace. */
export function toChromeTrace(recorder: Recorder): ChromeTrace {
  const names = recorder.stages.map(({ name }) => name);
  const title = (tid: number, name: string): TraceEvent => ({
    name: "thread_name",
    ph: "M",
    pid: 1,
    tid,
    ts: 0,
    args: { name },
  });
  return {
    traceEvents: [
      title(0, "buffers"),
      ...names.map((name, index) => title(index + 1, name)),
      ...recorder.events().flatMap((event) => toTraceEvents(event, names.indexOf(event.stage) + 1)),
    ],
    displayTimeUnit: "ms",
  };
}
