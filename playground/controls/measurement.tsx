import type { ComponentChildren } from "preact";

/** How far a measurement in the page has come. */
export type MeasureState = "idle" | "measuring" | "done" | { readonly failed: string };

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
  readonly state: MeasureState;
  readonly bars: readonly MeasuredBar[];
  readonly onStart: () => void;
  readonly onStop: () => void;
  /** What there is to say of it. */
  readonly children?: ComponentChildren;
}

/** Begins a measurement, stops it, and draws what came of it. */
export function Measurement({ state, bars, onStart, onStop, children }: MeasurementOptions) {
  const isMeasuring = state === "measuring";
  const most = Math.max(1, ...bars.map(({ value = 0 }) => value));
  return (
    <>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          data-do="measure"
          onClick={isMeasuring ? onStop : onStart}
        >
          {isMeasuring ? "Stop" : state === "done" ? "Measure again" : "Measure now"}
        </button>
        {isMeasuring && <span class="hint">measuring, a few seconds …</span>}
      </div>
      <div class="bars">
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
