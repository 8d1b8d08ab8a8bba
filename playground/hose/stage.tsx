/** How a stage is drawn. */
export interface StageOptions {
  readonly name: "reader" | "transformer" | "writer";
  /** What it is called, where there may be several. Default: its name. */
  readonly title?: string;
  /** What the standard calls it. */
  readonly about: string;
  /** What it is doing. */
  readonly doing: string;
  /** Whether it works, waits, or may not. */
  readonly state: "busy" | "idle" | "paused";
  /** How far it is with its call, from 0 to 1. */
  readonly progress?: number;
}

/** A stage of a pipeline, and what it is doing. */
export function Stage({ name, title = name, about, doing, state, progress }: StageOptions) {
  return (
    <div class={`stage ${state}`} data-stage={name} data-state={state}>
      <div class="name" title={title}>{title}</div>
      <div class="about">{about}</div>
      <div class="doing">{doing}</div>
      <div class="progress">
        <i style={`width:${state === "busy" ? Math.round(100 * (progress ?? 1)) : 0}%`} />
      </div>
    </div>
  );
}
