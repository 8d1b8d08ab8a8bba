import { type Signal, signal } from "@preact/signals";
import { Playback } from "../../controls/playback.tsx";
import { RunLog, Section } from "../../controls/section.tsx";
import { GateClock } from "../../gated/gate_clock.ts";
import { Player, Recorded } from "../../gated/player.ts";
import { Figures, Hose, type Progress } from "../../hose/hose.tsx";
import { type HoseView, hoseView } from "../../hose/hose_view.ts";
import { formatBytes, formatCount } from "../../words/format.ts";

const chunkBytes: number = 16 * 1024;
const markBytes: number = 4 * chunkBytes;
/** A page should not fill its reader's memory: from here on nothing is written for the time being. */
const mostBytes: number = 64 * 1024 * 1024;

/** A loop that reads chunks and writes them by hand, and may leave out to wait. */
class HandWritten {
  readonly clock: GateClock = new GateClock();
  readonly recorded: Recorded = new Recorded(this.clock);
  /** Whether it waits for `writer.ready`. */
  readonly waits: Signal<boolean> = signal(true);
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #isStopped = false;

  constructor() {
    const { clock, recorded: { look } } = this;
    const readable = new ReadableStream<Uint8Array>(
      look.reader<Uint8Array>({
        async pull(controller) {
          await clock.sleep(50, "reader");
          controller.enqueue(new Uint8Array(chunkBytes));
        },
      }, { strategy: { highWaterMark: 0 } }),
      { highWaterMark: 0 },
    );
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: markBytes });
    const writable = new WritableStream<Uint8Array>(
      look.writer<Uint8Array>({ write: () => clock.sleep(100, "writer") }, { strategy }),
      strategy,
    );
    this.#writer = writable.getWriter();
    void this.#copy(readable.getReader(), this.#writer);
  }

  async #copy(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    writer: WritableStreamDefaultWriter<Uint8Array>,
  ): Promise<void> {
    while (!this.#isStopped) {
      if (this.waits.value) await writer.ready;
      else if (this.bytes() >= mostBytes) {
        await this.clock.sleep(100);
        continue;
      }
      const { value } = await reader.read();
      void writer.write(value);
    }
  }

  /** The bytes that wait, those being written included. */
  bytes(): number {
    return markBytes - this.desiredSize();
  }

  /** What the stream itself says. */
  desiredSize(): number {
    return this.#writer.desiredSize ?? 0;
  }

  /** What is to be drawn, in chunks. A chunk that is read is written at once. */
  view(): HoseView {
    const { shown, look } = this.recorded;
    const occupancy = shown.value?.occupancy ?? look.occupancy();
    const { readerOut, writerIn } = occupancy;
    return hoseView({ ...occupancy, readerOut: 0, writerIn: writerIn + readerOut }, {
      readerOut: undefined,
      transformerIn: undefined,
      transformerOut: undefined,
      writerIn: markBytes / chunkBytes,
    });
  }

  progress(): Progress | undefined {
    return this.recorded.shown.value === undefined ? this.clock.progress() : undefined;
  }

  stop(): void {
    this.#isStopped = true;
    this.clock.stop();
  }
}

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
  const bytes = loop.bytes();
  return (
    <Section
      id="ignoring"
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
      <div class="switch row">
        <label>
          <input
            type="checkbox"
            role="switch"
            checked={!waits}
            onChange={() => {
              loop.waits.value = !waits;
              player.play();
            }}
          />{" "}
          Ignore backpressure
        </label>
        <pre class="snippet">
          {lines.map((line) => (
            <code key={line} class={!waits && line.includes("ready") ? "struck" : ""}>{line}</code>
          ))}
        </pre>
      </div>
      <Figures
        figures={[
          { name: "in memory", text: formatBytes(bytes), isOver: bytes > markBytes },
          { name: "highWaterMark", text: formatBytes(markBytes) },
          { name: "writer.desiredSize", text: formatCount(loop.desiredSize()) },
          { name: "a chunk", text: formatBytes(chunkBytes) },
        ]}
      />
      <Hose view={view} progress={loop.progress()} slots={240} isNumbered={false} />
      <Sentence bytes={bytes} waits={waits} />
      <Playback {...{ player, recorded }} onRestart={restart} />
      <RunLog {...{ player, recorded }} />
    </Section>
  );
}
