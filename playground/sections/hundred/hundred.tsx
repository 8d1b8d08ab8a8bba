/// <reference lib="dom" />
import { signal } from "@preact/signals";
import { MeasureButton } from "../../controls/measure_button.tsx";
import { Section } from "../../controls/section.tsx";
import { formatNanoseconds } from "../../words/format.ts";
import type { Measured } from "../../worker/measure.ts";
import type { MeasureMessage } from "../../worker/messages.ts";
import { openWorker } from "../../worker/open_worker.ts";
import { ratioText, ratioToNative } from "./ratio_text.ts";

type State = "idle" | "measuring" | "done" | { readonly failed: string };

const state = signal<State>("idle");
const measured = signal<readonly Measured[]>([]);
let worker: Worker | undefined;

const names: Readonly<Record<Measured["name"], string>> = {
  native: "100 TransformStreams",
  fuse: "fuse(…100 stages)",
  pipeline: "pipeline(…100 stages)",
  loop: "a plain loop",
};

function stop(): void {
  worker?.terminate();
  worker = undefined;
  state.value = measured.value.length === 4 ? "done" : "idle";
}

function start(): void {
  stop();
  measured.value = [];
  state.value = "measuring";
  worker = openWorker();
  worker.onmessage = ({ data }: MessageEvent<MeasureMessage>) => {
    if (data.type === "measured") measured.value = [...measured.value, data.way];
    else if (data.type === "measuredAll") stop();
    else {
      stop();
      state.value = { failed: data.text };
    }
  };
  worker.onerror = ({ message }) => {
    stop();
    state.value = { failed: message };
  };
}

function Bars() {
  const most = Math.max(1, ...measured.value.map(({ nsPerChunk }) => nsPerChunk));
  return (
    <div class="bars">
      {(Object.keys(names) as Measured["name"][]).map((name) => {
        const way = measured.value.find((one) => one.name === name);
        return (
          <div key={name} class="bar" data-way={name} data-ns={way?.nsPerChunk}>
            <span class="name">{names[name]}</span>
            <span class="track">
              <i style={`width:${way === undefined ? 0 : 100 * way.nsPerChunk / most}%`} />
            </span>
            <span class="figure">
              {way === undefined ? "–" : `${formatNanoseconds(way.nsPerChunk)} a chunk`}
            </span>
            <span class="ratio">
              {way === undefined || name === "native" ? "" : ratioToNative(way, measured.value)}
            </span>
          </div>
        );
      })}
    </div>
  );
}

/** 7: what a long chain costs, measured where the page runs. */
export function Hundred() {
  const { value } = state;
  const isMeasuring = value === "measuring";
  return (
    <Section
      id="hundred"
      number={7}
      title="A hundred stages, in your browser"
      about={
        <>
          A native chain of a hundred stages has two hundred buffers, and every chunk passes each of
          them. <code>fuse</code> and <code>pipeline</code>{" "}
          run the same stages without them. Numbers go through a hundred small functions, in a
          worker of this page; the sums are compared.
        </>
      }
    >
      <MeasureButton
        isMeasuring={isMeasuring}
        isDone={value === "done"}
        onStart={start}
        onStop={stop}
      />
      <Bars />
      <div aria-live="polite">
        {value === "done" && <p class="now right">{ratioText(measured.value)}</p>}
        {typeof value === "object" && <p class="now writer">It failed: {value.failed}</p>}
      </div>
      <p class="aside">
        The best of five rounds, for one chunk through all stages. A browser's clock is coarse and
        other tabs take their share: take it as an order of magnitude.
      </p>
    </Section>
  );
}
