import type { DemoEvent } from "../demo_event.ts";
import { paintOf } from "./describe_event.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";
import { renderHose } from "./render_hose.ts";

/** An event in few words, such as `12 transform 6`. */
export function labelOf({ seq, event, stage, id }: DemoEvent): string {
  return `${String(seq).padStart(3)} ${id === null ? `${stage} ${event}` : `${event} ${id}`}`;
}

const labelWidth = 21;

/** The hose after each event. */
export class DiagramRenderer implements Renderer {
  readonly #target: RenderTarget;

  constructor(target: RenderTarget) {
    this.#target = target;
  }

  onEvent(event: DemoEvent): void {
    const { style, write, columns = Infinity } = this.#target;
    const label = labelOf(event);
    const whole = renderHose(event.hose)[0]!;
    const paint = paintOf(event);
    if (labelWidth + whole.length <= columns) {
      write(
        `${style(paint, label)}${" ".repeat(Math.max(1, labelWidth - label.length))}${whole}\n`,
      );
      return;
    }
    const lines = renderHose(event.hose, columns - 4).map((line) => `    ${line}\n`);
    write(`${style(paint, label)}\n${lines.join("")}`);
  }

  onDetail(): void {}

  end(): void {}
}
