import { signal } from "@preact/signals";
import { Playback } from "../../controls/playback.tsx";
import { RunLog } from "../../controls/run_log.tsx";
import { Section } from "../../controls/section.tsx";
import { Player } from "../../gated/player.ts";
import { Hose } from "../../hose/hose.tsx";
import { formatBytes, formatCount } from "../../words/format.ts";
import { chunkBytes, HandWritten, markBytes, mostBytes } from "./hand_written.ts";

const lines = [
  "while (true) {",
  "  await writer.ready;",
  "  const { value } = await reader.read();",
  "  writer.write(value);",
  "}",
];

const run = signal(new HandWritten());
const player = new Player(() => run.value.clock);

function restart(): void {
  run.value.stop();
  run.value = new HandWritten();
  player.play();
}

function Sentence({ bytes, waits }: { readonly bytes: number; readonly waits: boolean }) {
  const text = waits && bytes <= markBytes
    ? "The loop waits for room before each write: the buffer stays at its highWaterMark."
    : waits
    ? "The loop waits again: nothing is written until the buffer has drained below its highWaterMark."
    : bytes >= mostBytes
    ? `Here the page stops writing, at ${
      formatBytes(mostBytes)
    }. A server would go on until it has no memory left.`
    : "write() takes every chunk and throws no error. Only desiredSize shows that there is no room, and this loop never reads it.";
  return <p class={`now ${bytes > markBytes ? "writer" : ""}`} aria-live="polite">{text}</p>;
}

/** 2: a writer that does not wait. */
export function Ignoring() {
  const loop = run.value;
  void player.moves.value;
  const { recorded } = loop;
  const view = loop.view();
  const waits = loop.waits.value;
  return (
    <Section
      id="ignoring"
      number={2}
      title="What if you do not wait?"
      about={
        <>
          This loop can read twice as fast as it can write. A highWaterMark is a threshold, not a
          capacity: a stream never refuses a chunk. Ignore backpressure, and the buffer grows
          without limit; wait for room again, and it drains.
        </>
      }
      onSeen={(isSeen) => player.isSeen = isSeen}
    >
      <div class="switch-row">
        <button
          type="button"
          role="switch"
          aria-checked={!waits}
          class="switch"
          onClick={() => {
            loop.waits.value = !waits;
            player.play();
          }}
        >
          <i /> Ignore backpressure
        </button>
        <pre class="snippet">
          {lines.map((line) => (
            <code key={line} class={!waits && line.includes("ready") ? "struck" : ""}>{line}</code>
          ))}
        </pre>
      </div>
      <dl class="meters">
        <div>
          <dt>in memory</dt>
          <dd class={loop.bytes() > markBytes ? "over" : ""} data-bytes={loop.bytes()}>
            {formatBytes(loop.bytes())}
          </dd>
        </div>
        <div>
          <dt>highWaterMark</dt>
          <dd>{formatBytes(markBytes)}</dd>
        </div>
        <div>
          <dt>writer.desiredSize</dt>
          <dd data-desired={loop.desiredSize()}>{formatCount(loop.desiredSize())}</dd>
        </div>
        <div>
          <dt>a chunk</dt>
          <dd>{formatBytes(chunkBytes)}</dd>
        </div>
      </dl>
      <Hose view={view} progress={loop.progress()} slots={240} isNumbered={false} />
      <Sentence bytes={loop.bytes()} waits={waits} />
      <Playback {...{ player, recorded }} onRestart={restart} />
      <RunLog {...{ player, recorded }} />
    </Section>
  );
}
