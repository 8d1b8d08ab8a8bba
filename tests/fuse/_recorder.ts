/** Shows a chunk in a log. */
export function text(chunk: unknown): string {
  return typeof chunk === "string" ? chunk : JSON.stringify(chunk) ?? "undefined";
}

/** Waits for some microtasks. */
export async function jitter(microtasks: number): Promise<void> {
  while (microtasks-- > 0) await undefined;
}

/** What happened in one run of a chain, stage by stage. */
export class Recorder {
  /** Effects of each stage, in order: `start`, `transform …`, `flush`, `cancel …`. */
  readonly logs: string[][];
  /** All effects, in order. */
  readonly order: string[] = [];
  /** Iterators that were begun and neither emptied nor closed. */
  openIterators = 0;
  /** Transforms that began before the one before had ended, and the like. */
  readonly faults: string[] = [];
  readonly #labels = new Map<unknown, string>();
  #progress = 0;

  constructor(stageCount: number) {
    this.logs = Array.from({ length: stageCount }, () => []);
  }

  /** Grows with everything that happens. */
  get progress(): number {
    return this.#progress;
  }

  touch(): void {
    this.#progress++;
  }

  log(stage: number, effect: string): void {
    this.#progress++;
    this.logs[stage]!.push(effect);
    this.order.push(`${effect} of stage ${stage}`);
  }

  /** Makes a value to fail with; some are no `Error` and some are not even true. */
  reason(label: string, kind: number): unknown {
    if (kind === 1) return undefined;
    if (kind === 2) return null;
    if (kind === 3) return "";
    const error = new Error(label);
    this.#labels.set(error, label);
    return error;
  }

  /** Names the value that something failed with: the very same value has the same name in every run. */
  label(value: unknown): string {
    const known = this.#labels.get(value);
    if (known !== undefined) return known;
    // What an operator refuses a chunk with is of one kind.
    if ([TypeError, RangeError, SyntaxError].some((type) => value instanceof type)) {
      return "TypeError";
    }
    return value instanceof Error ? `unknown ${value.stack}` : `value ${text(value)}`;
  }
}

/** The label of `Recorder.reason(label, kind)`, without making it. */
export function labelOf(label: string, kind: number): string {
  return [label, "value undefined", "value null", "value "][kind] ?? label;
}
