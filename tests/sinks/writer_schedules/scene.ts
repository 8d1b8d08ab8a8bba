import { assert, assertEquals } from "@std/assert";
import type { StageContext } from "../../../src/kernels/stage_context.ts";
import type { WriterOptions } from "../../../src/sinks/writer_options.ts";

/** What a function given to `writer` does. */
export const kinds = ["now", "later", "throws", "rejects"] as const;
export type Kind = typeof kinds[number];

/** What the functions given to `writer` do in one schedule. */
export interface Plan {
  readonly concurrency: number;
  readonly release: Kind | "absent";
  readonly kindOf: (call: string) => Kind;
}

/** What a call fails with; the first write with `undefined`, which is an error too. */
export function errorOfCall(call: string): unknown {
  return call === "write 0" ? undefined : `error of ${call}`;
}

/** Answers each call by a pick, once, whatever asks first. */
export function pickKinds(
  pick: Pick,
  options: Partial<Record<string, readonly Kind[]>>,
): Plan["kindOf"] {
  const picked = new Map<string, Kind>();
  return (call) => {
    if (!picked.has(call)) {
      const choices = options[call.split(" ")[0]!] ?? kinds;
      picked.set(call, choices[pick(choices.length)]!);
    }
    return picked.get(call)!;
  };
}

function throwingThen(error: unknown): PromiseLike<void> {
  return Object.defineProperty({}, "then", {
    get: () => {
      throw error;
    },
  }) as PromiseLike<void>;
}

/** The functions given to `writer`: they check and note their calls, and are settled by hand. */
export class Scene {
  readonly plan: Plan;
  /** Calls, and what the signal of the calls was aborted with, in order. */
  readonly calls: string[] = [];
  /** The calls that are still to be settled. */
  readonly pending: Map<string, { fulfil(): void; reject(): void }> = new Map();
  /** What the calls failed with, in order. */
  readonly failures: { readonly call: string; readonly error: unknown }[] = [];
  #hasSignal = false;

  constructor(plan: Plan) {
    this.plan = plan;
  }

  readonly write = (_chunk: unknown, index: number, context: StageContext): unknown => {
    if (!this.#hasSignal) {
      this.#hasSignal = true;
      const { signal } = context;
      signal.addEventListener("abort", () => {
        // A signal takes `undefined` for no reason.
        const { reason } = signal;
        this.calls.push(`signal ${reason instanceof DOMException ? undefined : reason}`);
      });
    }
    return this.#run(`write ${index}`, index);
  };

  options(): WriterOptions<unknown> {
    const { concurrency, release } = this.plan;
    return {
      concurrency,
      highWaterMark: 4,
      close: () => this.#run("close") as void,
      abort: (reason) => this.#run(`abort ${String(reason)}`) as void,
      ...(release === "absent" ? {} : { release: () => this.#run("release") as void }),
    };
  }

  /** Odd calls answer with a thenable instead of a promise, or fail by how they answer. */
  #run(call: string, index = 0): unknown {
    this.calls.push(call);
    const isOdd = index % 2 === 1;
    const error = errorOfCall(call);
    const kind = this.plan.kindOf(call);
    if (call === "close") this.#checkClose();
    if (kind === "throws" || kind === "rejects") this.failures.push({ call, error });
    switch (kind) {
      case "now":
        return undefined;
      case "throws":
        if (isOdd) return throwingThen(error);
        throw error;
      case "rejects":
        return Promise.reject(error);
      case "later": {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        this.pending.set(call, { fulfil: resolve, reject: () => reject(error) });
        return isOdd ? { then: promise.then.bind(promise) } : promise;
      }
    }
  }

  /** A sink that commits when it is closed must have everything. */
  #checkClose(): void {
    assertEquals([this.failures, this.pending.size], [[], 0], "close() with all written");
  }

  settle(call: string, how: "fulfil" | "reject"): void {
    const gate = this.pending.get(call)!;
    this.pending.delete(call);
    gate[how]();
    if (how === "reject") this.failures.push({ call, error: errorOfCall(call) });
  }

  /** Throws unless the calls agree with each other and with `failure`, how the whole went. */
  check(failure: { readonly error: unknown } | undefined): void {
    const count = (name: string) => this.calls.filter((call) => call.split(" ")[0] === name).length;
    assertEquals(count("release"), this.plan.release === "absent" ? 0 : 1, "releases once");
    assert(count("close") + count("abort") <= 1, "closes or aborts");
    const last = this.calls.filter((call) => !call.startsWith("signal")).at(-1);
    if (count("release") > 0) assertEquals(last, "release");
    if (failure !== undefined) return;
    assertEquals([this.failures, count("close")], [[], 1], "a success is one");
  }
}

/** Picks one of so many options, by its place. */
export type Pick = (count: number) => number;

/**
 * Runs `run` with every combination of the picks it makes, one run after the other, and answers how many there were. What
 * was picked before decides which picks come next, so `run` must do the same at the same picks.
 */
export async function tryAll(run: (pick: Pick) => Promise<void>): Promise<number> {
  const picks: { chosen: number; readonly count: number }[] = [];
  for (let runs = 1;; runs++) {
    let place = 0;
    await run((count) => {
      if (place === picks.length) picks.push({ chosen: 0, count });
      return picks[place++]!.chosen;
    });
    while (picks.length > 0 && picks.at(-1)!.chosen === picks.at(-1)!.count - 1) picks.pop();
    if (picks.length === 0) return runs;
    picks.at(-1)!.chosen++;
  }
}
