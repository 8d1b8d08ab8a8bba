import type { DemoEvent } from "../demo_event.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";

/** One JSON object a line, for programs. */
export class JsonlRenderer implements Renderer {
  readonly #target: RenderTarget;
  readonly #showsApi: boolean;

  /** `showsApi` puts the API in front, where events of both come. */
  constructor(target: RenderTarget, showsApi: boolean) {
    this.#target = target;
    this.#showsApi = showsApi;
  }

  onEvent({ api, seq, timeMs, stage, event, id, occupancy }: DemoEvent): void {
    const line = { seq, timeMs, stage, event, id, occupancy };
    const whole = this.#showsApi ? { api, ...line } : line;
    this.#target.write(`${JSON.stringify(whole)}\n`);
  }

  onDetail(): void {}

  end(): void {}
}
