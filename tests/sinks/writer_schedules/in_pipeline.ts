import { pipeline } from "../../../src/pipeline/pipeline.ts";
import { writer } from "../../../src/sinks/writer.ts";
import { type Plan, Scene } from "./scene.ts";

/** What happens to a run from outside, or how a call of the scene is settled. */
export type RunStep =
  | { readonly does: "chunk" | "end" | "fail" | "signal" }
  | { readonly does: "fulfil" | "reject"; readonly call: string };

/** A run of `pipeline` into a `writer`, from a source that gives its chunks by hand. */
export class InPipeline {
  readonly scene: Scene;
  readonly done: RunStep[] = [];
  outcome: { readonly failure: { readonly error: unknown } | undefined } | undefined;
  chunksWritten = 0;
  readonly #controller = new AbortController();
  #source!: ReadableStreamDefaultController<unknown>;

  constructor(plan: Plan) {
    this.scene = new Scene(plan);
    const source = new ReadableStream<unknown>({
      start: (controller) => void (this.#source = controller),
    });
    const sink = writer(this.scene.write, this.scene.options());
    pipeline(source, sink, { signal: this.#controller.signal }).then(
      ({ chunksWritten }) => {
        this.chunksWritten = chunksWritten;
        this.outcome = { failure: undefined };
      },
      (error) => this.outcome = { failure: { error } },
    );
  }

  take(step: RunStep): void {
    this.done.push(step);
    if (step.does === "signal") this.#controller.abort("signal");
    else if (step.does === "fulfil" || step.does === "reject") {
      this.scene.settle(step.call, step.does);
    } else {
      try {
        if (step.does === "chunk") this.#source.enqueue(undefined);
        else if (step.does === "end") this.#source.close();
        else this.#source.error("source");
      } catch {
        // The run has cancelled it.
      }
    }
  }

  /** What a step itself fails the run with. */
  failureOf({ does }: RunStep): { readonly error: unknown } | undefined {
    if (does === "signal") return { error: "signal" };
    return does === "fail" ? { error: "source" } : undefined;
  }

  count(does: RunStep["does"]): number {
    return this.done.filter((step) => step.does === does).length;
  }

  /** What may come next from outside. */
  nextSteps(mostChunks: number): RunStep[] {
    const { pending } = this.scene;
    if (pending.size === 0 && this.outcome !== undefined) return [];
    const isOpen = this.count("end") + this.count("fail") + this.count("signal") === 0 &&
      this.outcome === undefined;
    return [
      ...(isOpen && this.count("chunk") < mostChunks ? [{ does: "chunk" } as const] : []),
      ...(isOpen ? [{ does: "end" } as const, { does: "fail" } as const] : []),
      ...(this.count("signal") === 0 && this.outcome === undefined
        ? [{ does: "signal" } as const]
        : []),
      ...[...pending.keys()].flatMap((call) => [
        { does: "fulfil" as const, call },
        { does: "reject" as const, call },
      ]),
    ];
  }
}
