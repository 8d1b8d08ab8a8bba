import type { DemoListener } from "../demo_event.ts";
import type { Style } from "./style.ts";

/** Where output goes and how it may look. */
export interface RenderTarget {
  write(text: string): void;
  readonly style: Style;
  /** The width to keep to, in characters; default: none. */
  readonly columns?: number;
}

/** Shows a demo. */
export interface Renderer extends DemoListener {
  /** Says what is left to say. */
  end(): void;
}
