import type { Bottleneck } from "@hosepipe/streams/inspect";
import { type Signal, signal } from "@preact/signals";
import { Playback } from "../../controls/playback.tsx";
import { RunLog, Section, Slider } from "../../controls/section.tsx";
import { NativePipeline } from "../../gated/native_pipeline.ts";
import { Player, prefersLessMotion } from "../../gated/player.ts";
import { Hose } from "../../hose/hose.tsx";

/** What is said of the present. */
interface NowSentenceOptions {
  readonly bottleneck: Bottleneck;
  /** Whether the past is looked at. */
  readonly isPast: boolean;
}

/** The sentence of `bottleneck()`. It is read out when the bottleneck is another one, not with each percentage. */
function NowSentence({ bottleneck, isPast }: NowSentenceOptions) {
  const { kind, summary } = bottleneck;
  return (
    <>
      <p class={`now ${kind}`} data-kind={kind}>
        <span class="label">{isPast ? "now, not then" : "now"}</span> {summary}
      </p>
      <p class="hidden" aria-live="polite">
        {kind === "none" ? "There is no bottleneck." : `The ${kind} is the bottleneck.`}
      </p>
    </>
  );
}

const signs = [
  ["slot free", "free"],
  ["slot waiting", "waiting"],
  ["slot hand", "being processed: it keeps its place"],
  ["slot over", "beyond the highWaterMark"],
  ["mark-sign", "highWaterMark"],
  ["valve", "open"],
];

/** What the signs of the picture mean. */
function Legend() {
  return (
    <ul class="legend row" aria-label="Legend">
      {signs.map(([sign, meaning]) => (
        <li key={sign}>
          <i class={sign} /> {meaning}
        </li>
      ))}
      <li class="shut">
        <span class="tube">
          <i class="valve" />
        </span>{" "}
        shut: no room, so no call
      </li>
    </ul>
  );
}

const marks = { readerOut: 4, transformerIn: 4, transformerOut: 4, writerIn: 4 };
const readerMs = 200;

/** How long the writer takes for a chunk, in milliseconds. */
const writerMs: Signal<number> = signal(800);

function start(): NativePipeline {
  return new NativePipeline(marks, {
    reader: () => readerMs,
    transformer: () => 150,
    writer: () => writerMs.value,
  });
}

const pipeline = signal(start());
const player = new Player(() => pipeline.value.clock);
if (!prefersLessMotion()) player.play();

function restart(): void {
  pipeline.value.stop();
  pipeline.value = start();
  player.play();
}

/** 1: a pipeline that runs, and one slider. */
export function Backpressure() {
  const { value } = pipeline;
  // Drawn again at each move.
  void player.moves.value;
  const { recorded } = value;
  return (
    <Section
      id="backpressure"
      title="Where does a stream back up?"
      about={
        <>
          Real Web Streams run here, and the writer is slow. The slots fill from right to left; each
          valve shuts once the buffer after it holds as many chunks as its highWaterMark; in the end
          the reader pauses. That is backpressure. Speed the writer up, and the buffers drain.
        </>
      }
      onSeen={(isSeen) => player.isSeen = isSeen}
    >
      <Slider
        label="A write takes"
        value={writerMs.value}
        minimum={50}
        maximum={2000}
        step={50}
        text={`${writerMs.value} ms`}
        onChange={(value) => writerMs.value = value}
      />
      <p class="aside">A read takes {readerMs} ms, a transform 150 ms; each highWaterMark is 4.</p>
      <Hose view={value.view()} progress={value.progress()} />
      <Legend />
      <NowSentence
        bottleneck={value.bottleneck.at(value.clock.now(), player.isPlaying.value)}
        isPast={recorded.shown.value !== undefined}
      />
      <Playback {...{ player, recorded }} onRestart={restart} />
      <RunLog {...{ player, recorded }} />
    </Section>
  );
}
