import type { DemoDetail, DemoEvent } from "../demo_event.ts";
import { describeAnswer, describeEvent, paintOf, startLine } from "./describe_event.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";

/** One line per event, and a dim one for what happens between. */
export class LogRenderer implements Renderer {
  readonly #target: RenderTarget;

  constructor(target: RenderTarget) {
    this.#target = target;
    target.write(`${target.style("edge", startLine)}\n`);
  }

  onEvent(event: DemoEvent): void {
    const { style, write } = this.#target;
    const answer = describeAnswer(event);
    const line = style(paintOf(event), describeEvent(event));
    write(`${line}${answer === undefined ? "" : ` ${style("detail", answer)}`}\n`);
  }

  onDetail({ text }: DemoDetail): void {
    this.#target.write(`${this.#target.style("detail", `      ${text}`)}\n`);
  }

  end(): void {}
}
