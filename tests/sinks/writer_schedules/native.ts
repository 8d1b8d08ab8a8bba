import { writer } from "../../../src/sinks/writer.ts";
import type { Step } from "./model.ts";
import { type Plan, Scene } from "./scene.ts";

/** A stream over `writer`, and how the promises that it gave have settled. */
export class Native {
  readonly scene: Scene;
  readonly settled = new Map<string, { readonly error: unknown } | undefined>();
  readonly #output: WritableStreamDefaultWriter<unknown>;
  readonly #asked: string[] = ["closed"];

  constructor(plan: Plan) {
    this.scene = new Scene(plan);
    this.#output = writer(this.scene.write, this.scene.options()).getWriter();
    this.#watch("closed", this.#output.closed);
  }

  #watch(name: string, promise: Promise<unknown>): void {
    this.#output.ready.catch(() => {});
    promise.then(
      () => this.settled.set(name, undefined),
      (error) => this.settled.set(name, { error }),
    );
  }

  #ask(name: string, promise: Promise<unknown>): void {
    this.#asked.push(name);
    this.#watch(name, promise);
  }

  take(step: Step): void {
    if (step.does === "write") {
      const name = `written ${this.count("written")}`;
      this.#ask(name, this.#output.write(undefined));
    } else if (step.does === "close") this.#ask("closed by us", this.#output.close());
    else if (step.does === "abort") this.#ask("aborted", this.#output.abort("stop"));
    else this.scene.settle(step.call, step.does);
  }

  /** How many promises of that name were asked for. */
  count(name: string): number {
    return this.#asked.filter((asked) => asked.startsWith(name)).length;
  }

  /** Whether nothing more can come. */
  get isOver(): boolean {
    return this.scene.pending.size === 0 && this.#asked.every((name) => this.settled.has(name));
  }

  /** What may come next from outside. */
  nextSteps(mostWrites: number): Step[] {
    const { pending } = this.scene;
    if (pending.size === 0 && this.settled.has("closed")) return [];
    const isAborted = this.count("aborted") > 0;
    const isOpen = this.count("closed by us") === 0 && !isAborted;
    return [
      ...(isOpen && this.count("written") < mostWrites ? [{ does: "write" } as const] : []),
      ...(isOpen ? [{ does: "close" } as const] : []),
      ...(isAborted ? [] : [{ does: "abort" } as const]),
      ...[...pending.keys()].flatMap((call) => [
        { does: "fulfil" as const, call },
        { does: "reject" as const, call },
      ]),
    ];
  }

  /** All that was called and settled, in one text. */
  describe(): string {
    return describe(
      this.scene.calls,
      [...this.settled].map(([name, failure]) =>
        failure === undefined ? name : `${name} failed: ${failure.error}`
      ),
    );
  }
}

/** Calls in their order, and what settled in any. */
export function describe(calls: readonly string[], settled: readonly string[]): string {
  return [...calls, "|", ...settled.toSorted()].join("; ");
}
