/// <reference lib="dom" />
import { pipeline } from "@hosepipe/streams";
import { createMeasuring, type MeasuredBar, Measurement } from "../../controls/measurement.tsx";
import { Section } from "../../controls/section.tsx";
import { formatNanoseconds } from "../../words/format.ts";
import type { Measured } from "../../worker/measure.ts";
import { withThreads } from "../../worker/messages.ts";

function timesText(ratio: number): string {
  return ratio >= 10 ? String(Math.round(ratio)) : ratio.toFixed(1);
}

/** "48 times faster than native". */
function ratioToNative(way: Measured, ways: readonly Measured[]): string {
  const native = ways.find(({ name }) => name === "native");
  if (native === undefined) return "";
  const ratio = native.nsPerChunk / way.nsPerChunk;
  return ratio >= 1
    ? `${timesText(ratio)} times faster than native`
    : `${timesText(1 / ratio)} times slower than native`;
}

/** What was measured, in a sentence or two. */
function ratioText(ways: readonly Measured[]): string {
  const of = (name: Measured["name"]) => ways.find((way) => way.name === name)!;
  const loop = of("pipeline").nsPerChunk / of("loop").nsPerChunk;
  return `pipeline is ${ratioToNative(of("pipeline"), ways)} here, fuse ${
    ratioToNative(of("fuse"), ways)
  }. Against the plain loop, which is the work and nothing more, pipeline takes ${
    loop.toFixed(1)
  } times as long.`;
}

const names: Readonly<Record<Measured["name"], string>> = {
  native: "100 TransformStreams",
  fuse: "fuse(…100 stages)",
  pipeline: "pipeline(…100 stages)",
  loop: "a plain loop",
};

/** One way after the other, in a worker. */
const measuring = createMeasuring<Measured>((signal, onWay) =>
  withThreads("measureWay", { threads: 1, blockSize: 1, maxBlocks: 1 }, async (stage) => {
    await pipeline(Object.keys(names), stage, (way) => onWay(way as Measured), { signal });
  })
);

function toBar(name: Measured["name"]): MeasuredBar {
  const way = measuring.results.value.find((one) => one.name === name);
  return {
    name: names[name],
    value: way?.nsPerChunk,
    figure: way === undefined ? "" : `${formatNanoseconds(way.nsPerChunk)} a chunk`,
    ratio: way === undefined || name === "native"
      ? ""
      : ratioToNative(way, measuring.results.value),
    data: { "data-way": name, "data-ns": way?.nsPerChunk },
  };
}

/** 7: what a long chain costs, measured where the page runs. */
export function Hundred() {
  return (
    <Section
      id="hundred"
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
      <Measurement
        measuring={measuring}
        bars={(Object.keys(names) as Measured["name"][]).map(toBar)}
      >
        {measuring.state.value === "done" && (
          <p class="now right">{ratioText(measuring.results.value)}</p>
        )}
      </Measurement>
      <p class="aside">
        The best of five rounds, for one chunk through all stages. A browser's clock is coarse and
        other tabs take their share: take it as an order of magnitude.
      </p>
    </Section>
  );
}
