/** A button that begins a measurement, and stops it. */
export interface MeasureButtonOptions {
  readonly isMeasuring: boolean;
  /** Whether there are figures already. */
  readonly isDone: boolean;
  readonly onStart: () => void;
  readonly onStop: () => void;
}

/** Begins a measurement that takes some seconds, and stops it. */
export function MeasureButton({ isMeasuring, isDone, onStart, onStop }: MeasureButtonOptions) {
  return (
    <div class="buttons">
      <button
        type="button"
        class="primary"
        data-do="measure"
        onClick={isMeasuring ? onStop : onStart}
      >
        {isMeasuring ? "Stop" : isDone ? "Measure again" : "Measure now"}
      </button>
      {isMeasuring && <span class="hint">measuring, a few seconds …</span>}
    </div>
  );
}
