import type { DemoApi, DemoEvent } from "../demo_event.ts";
import { paintBuffers } from "./draw_buffer.ts";
import { bufferNames, drawHose, type HoseShape } from "./hose_state.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";

/** What has been seen of one API. */
interface Seen {
  readonly event: DemoEvent;
  readonly read: number;
  readonly transformed: number;
  /** The stages that have ended. */
  readonly ended: ReadonlySet<string>;
}

const titles: Readonly<Record<DemoApi, string>> = { web: "Web Streams", node: "node streams" };
/** Of one API, where both stand beside each other. */
const halfWidth = 38;
const nameWidth = 16;

/** What the three stages do, as far as their buffers say. */
function activities({ event, read, ended }: Seen, shape: HoseShape): readonly string[] {
  const { highWaterMark, messages } = shape;
  const { readerOut, transformerIn, transformerOut, writing } = event.occupancy;
  const reader = ended.has("reader")
    ? "has ended"
    : read === messages
    ? "has read all"
    : readerOut >= highWaterMark
    ? "waits for room"
    : "reads";
  const transformer = ended.has("transformer")
    ? "has ended"
    : transformerIn === 0
    ? "waits for messages"
    : transformerOut >= highWaterMark
    ? "waits for room"
    : "transforms";
  const writer = shape.writer === "none"
    ? "is missing"
    : ended.has("writer")
    ? "has ended"
    : writing === 0
    ? "waits for messages"
    : writing === 1
    ? `writes ${event.hose.writer[0]}`
    : `writes ${writing} at once`;
  return [reader, transformer, writer];
}

/** The buffers and what each stage does, redrawn in place; only for terminals. */
export class LiveRenderer implements Renderer {
  readonly #target: RenderTarget;
  readonly #shape: HoseShape;
  readonly #last = new Map<DemoApi, Seen>();
  #height = 0;

  constructor(target: RenderTarget, shape: HoseShape) {
    this.#target = target;
    this.#shape = shape;
  }

  onEvent(event: DemoEvent): void {
    const { read = 0, transformed = 0, ended = new Set<string>() } = this.#last.get(event.api) ??
      {};
    const isEnd = event.event === "end" || event.event === "final";
    this.#last.set(event.api, {
      event,
      read: read + (event.event === "read" ? 1 : 0),
      transformed: transformed + (event.event === "transform" ? 1 : 0),
      ended: isEnd ? new Set([...ended, event.stage]) : ended,
    });
    this.#draw();
  }

  onDetail(): void {}

  end(): void {}

  #linesOf(seen: Seen): string[] {
    const { event: { api, timeMs, occupancy, hose }, read, transformed } = seen;
    const drawn = drawHose({ occupancy, hose }, this.#shape);
    const [reader, transformer, writer] = activities(seen, this.#shape);
    const row = (name: string, what: string) => `${name.padEnd(nameWidth)} ${what}`;
    const buffers = bufferNames.map((name) => row(`  ${name}`, drawn[name]));
    return [
      `${titles[api]}, ${(timeMs / 1000).toFixed(1)} s`,
      row("reader", reader!),
      ...buffers.slice(0, 2),
      row("transformer", transformer!),
      ...buffers.slice(2),
      row("writer", writer!),
      `read ${read}, transformed ${transformed}, written ${occupancy.written}`,
    ];
  }

  #draw(): void {
    const { write, columns = 80, style } = this.#target;
    // One less: a full line would make some terminals begin the next.
    const width = columns - 1;
    const parts = [...this.#last.values()].map((seen) => this.#linesOf(seen));
    const [one = [], other] = parts;
    const lines = other !== undefined && width >= 2 * halfWidth
      ? one.map((line, index) => `${line.padEnd(halfWidth)}${other[index]}`)
      : parts.flat();
    const shown = lines.map((line) => paintBuffers(line.slice(0, width), style));
    const up = this.#height > 0 ? `\x1b[${this.#height}A` : "";
    write(`${up}\r\x1b[J${shown.join("\n")}\n`);
    this.#height = shown.length;
  }
}
