/** What happened in one run of a chain. */
export class Journal {
  /** What each stage heard: `start`, `flush`, `cancel …`. */
  readonly hooks: string[][];
  /** Iterators that were begun and neither emptied nor closed. */
  openIterators = 0;
  /** What happened, in its order. */
  readonly order: string[] = [];
  /** What may never happen, such as a stage that runs twice at once. */
  readonly faults: string[] = [];
  readonly #labels = new Map<unknown, string>();
  readonly #listeners = new Map<string, (() => void)[]>();
  readonly #counts = new Map<string, number>();
  #progress = 0;

  constructor(stageCount: number) {
    this.hooks = Array.from({ length: stageCount }, () => []);
  }

  /** Grows with everything that happens. */
  get progress(): number {
    return this.#progress;
  }

  hear(stage: number, effect: string): void {
    this.#progress++;
    this.order.push(`stage ${stage} ${effect}`);
    this.hooks[stage]!.push(effect);
  }

  touch(): void {
    this.#progress++;
  }

  /** Counts something, and does what waits for the count. */
  see(what: string): void {
    this.#progress++;
    this.order.push(what);
    const count = this.#counts.get(what) ?? 0;
    this.#counts.set(what, count + 1);
    for (const act of this.#listeners.get(`${what} ${count}`) ?? []) act();
  }

  /** Does something when `what` is seen for the time after `count` others. */
  when(what: string, count: number, act: () => void): void {
    const key = `${what} ${count}`;
    const listeners = this.#listeners.get(key);
    if (listeners) listeners.push(act);
    else this.#listeners.set(key, [act]);
  }

  /** Makes a value to fail with; some are no `Error` and some are not even true. */
  reason(label: string, kind: number): unknown {
    if (kind === 1) return undefined;
    if (kind === 2) return null;
    if (kind === 3) return "";
    return this.name(label, new Error(label));
  }

  /** Gives a value a name: the very same value has the same name in every run. */
  name<Value>(label: string, value: Value): Value {
    this.#labels.set(value, label);
    return value;
  }

  /** Shows a chunk or a reason. */
  text(value: unknown): string {
    if (typeof value === "string") return value;
    const known = this.#labels.get(value);
    if (known !== undefined) return known;
    if (Object.is(value, -0)) return "-0";
    if (value instanceof Uint8Array) return `bytes ${[...value]}`;
    if (Array.isArray(value)) return `[${value.map((item) => this.text(item))}]`;
    if (value instanceof TypeError) return "TypeError";
    if (value instanceof RangeError) return "RangeError";
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    return typeof value === "object" && value !== null ? "unknown object" : String(value);
  }
}

/**
 * Values that an engine could be tempted to look into: each is a chunk like any other. Traps are those that fail when
 * something awaits them.
 */
export function oddValue(journal: Journal, kind: number, hasTraps = false): unknown {
  if (hasTraps && kind % 4 === 0) {
    const get = () => {
      throw journal.name("trapped", new Error("trapped"));
    };
    return journal.name(`trap ${kind}`, new Proxy({}, { get }));
  }
  if (hasTraps && kind % 4 === 1) {
    const rejected = Promise.reject(journal.name("trapped", new Error("trapped")));
    rejected.catch(() => {});
    return journal.name(`rejecting ${kind}`, rejected);
  }
  switch (kind % 10) {
    case 0:
      return journal.name(`promise ${kind}`, Promise.resolve(`p${kind}`));
    case 1: {
      const then = (resolve: (value: unknown) => void) => resolve(`t${kind}`);
      return journal.name(`thenable ${kind}`, { then });
    }
    case 2:
      return -0;
    case 3:
      return undefined;
    case 4:
      return null;
    case 5:
      return journal.name(`proxy ${kind}`, new Proxy({}, {}));
    case 6:
      return NaN;
    case 7:
      return Symbol.for(`odd ${kind}`);
    case 8:
      return journal.name(`function ${kind}`, () => {});
    default:
      return journal.name(`frozen ${kind}`, Object.freeze({ done: true, value: 1 }));
  }
}
