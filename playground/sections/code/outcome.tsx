import { formatSeconds } from "../../words/format.ts";
import type { CodeRun } from "./code_run.ts";

function describe({ state, failure, elapsedMs }: CodeRun): string {
  switch (state.value) {
    case "running":
      return "It runs.";
    case "silent":
      return "It has not answered for 2 seconds: is there an endless loop? Stop ends it.";
    case "stopped":
      return "Stopped.";
    case "done":
      return `Done after ${formatSeconds(elapsedMs.value ?? 0)}.`;
    case "failed": {
      const { text, line } = failure.value!;
      return line === undefined ? text : `Line ${line}: ${text}`;
    }
  }
}

/** What came of the code: its end, what it printed, its bottleneck. */
export function Outcome({ run }: { readonly run: CodeRun }) {
  const { state, printed, summary, kept } = run;
  return (
    <>
      <p
        class={`now ${state.value === "failed" || state.value === "silent" ? "writer" : ""}`}
        role="status"
        data-state={state.value}
        data-line={run.failure.value?.line}
      >
        {describe(run)} {kept.value.count > 0 && state.value === "done" ? summary.value : ""}
      </p>
      <div class="console" role="log" aria-label="What the code printed" tabIndex={0}>
        {printed.value.map(({ level, text }, index) => (
          <div key={index} class={`printed ${level === "error" ? "error" : ""}`}>{text}</div>
        ))}
      </div>
    </>
  );
}
