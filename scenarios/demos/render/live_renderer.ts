import type { DemoApi, DemoEvent } from "../demo_event.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";
import { renderHose } from "./render_hose.ts";

/** The hose redrawn in place, with counts and rates; only for terminals. */
export class LiveRenderer implements Renderer {
  readonly #target: RenderTarget;
  readonly #last = new Map<DemoApi, { event: DemoEvent; read: number; transformed: number }>();
  #height = 0;

  constructor(target: RenderTarget) {
    this.#target = target;
  }

  onEvent(event: DemoEvent): void {
    const { read = 0, transformed = 0 } = this.#last.get(event.api) ?? {};
    this.#last.set(event.api, {
      event,
      read: read + (event.event === "read" ? 1 : 0),
      transformed: transformed + (event.event === "transform" ? 1 : 0),
    });
    this.#draw();
  }

  onDetail(): void {}

  end(): void {}

  #draw(): void {
    const { write, columns = 80 } = this.#target;
    // One less: a full line would make some terminals begin the next.
    const width = columns - 1;
    const lines = [...this.#last.values()].flatMap(({ event, read, transformed }) => {
      const { occupancy: { writing, written }, timeMs } = event;
      const rate = (count: number) =>
        timeMs > 0 ? ` (${(count / timeMs * 1000).toFixed(1)}/s)` : "";
      return [
        `${event.api}, event ${event.seq}, ${(timeMs / 1000).toFixed(1)} s`,
        ...renderHose(event.hose, width),
        `read ${read}${rate(read)}, transformed ${transformed}`,
        `writing ${writing}, written ${written}${rate(written)}`,
      ];
    }).map((line) => line.slice(0, width));
    const up = this.#height > 0 ? `\x1b[${this.#height}A` : "";
    write(`${up}\r\x1b[J${lines.join("\n")}\n`);
    this.#height = lines.length;
  }
}
