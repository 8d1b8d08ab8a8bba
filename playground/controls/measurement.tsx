import { type ReadonlySignal, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** A measurement in the page, with what it has found so far. */
export interface Measuring<Result> {
  readonly state: ReadonlySignal<"idle" | "measuring" | "done" | { readonly failed: string }>;
  readonly results: ReadonlySignal<readonly Result[]>;
  start(): Promise<void>;
  stop(): void;
}

/** Makes a measurement of what `run` does, which hands out its results one by one until it is over or stopped. */
export function createMeasuring<Result>(
  run: (signal: AbortSignal, onResult: (result: Result) => void) => Promise<void>,
): Measuring<Result> {
  const state = signal<Measuring<Result>["state"]["value"]>("idle");
  const results = signal<readonly Result[]>([]);
  let running = new AbortController();
  return {
    state,
    results,
    async start() {
      running.abort();
      const { signal } = running = new AbortController();
      results.value = [];
      state.value = "measuring";
      try {
        await run(signal, (result) => results.value = [...results.value, result]);
        state.value = "done";
      } catch (error) {
        if (!signal.aborted) state.value = { failed: String(error) };
      }
    },
    stop() {
      running.abort();
      state.value = "idle";
    },
  };
}

/** One of what is measured; without `value` it has not been yet. */
export interface MeasuredBar {
  readonly name: string;
  readonly value: number | undefined;
  readonly figure: string;
  /** Beside the others. */
  readonly ratio: string;
  /** What tests read. */
  readonly data: Readonly<Record<`data-${string}`, string | number | undefined>>;
}

/** A measurement that takes some seconds: begun and stopped by a button, and shown as bars. */
export interface MeasurementOptions {
  readonly measuring: Measuring<unknown>;
  readonly bars: readonly MeasuredBar[];
  /** What there is to say of it. */
  readonly children?: ComponentChildren;
}

/** Begins a measurement, stops it, and draws what came of it. */
export function Measurement({ measuring, bars, children }: MeasurementOptions) {
  const { start, stop, state: { value: state } } = measuring;
  const isMeasuring = state === "measuring";
  const most = Math.max(1, ...bars.map(({ value = 0 }) => value));
  return (
    <>
      <div class="row">
        <button
          type="button"
          class="primary"
          data-do="measure"
          onClick={() => isMeasuring ? stop() : void start()}
        >
          {isMeasuring ? "Stop" : state === "done" ? "Measure again" : "Measure now"}
        </button>
        {isMeasuring && <span class="aside">measuring, a few seconds …</span>}
      </div>
      <div class="bars card">
        {bars.map(({ name, value, figure, ratio, data }) => (
          <div key={name} class="bar" {...data}>
            <span class="name">{name}</span>
            <span class="track">
              <i style={`width:${100 * (value ?? 0) / most}%`} />
            </span>
            <span class="figure">{value === undefined ? "–" : figure}</span>
            <span class="ratio">{value === undefined ? "" : ratio}</span>
          </div>
        ))}
      </div>
      <div aria-live="polite">
        {children}
        {typeof state === "object" && <p class="now writer">It failed: {state.failed}</p>}
      </div>
    </>
  );
}
