import { test } from "node:test";
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { pipeline } from "../../src/pipeline/pipeline.ts";
import { writer } from "../../src/sinks/writer.ts";
import { microtasks } from "../lib/microtasks.ts";
import {
  type Kind,
  kinds,
  type Pick,
  pickKinds,
  type Plan,
  Scene,
  tryAll,
} from "./writer_schedules/scene.ts";
import { Model, type Step } from "./writer_schedules/model.ts";

/** A stream over `writer`, and how the promises that it gave have settled. */
class Native {
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
function describe(calls: readonly string[], settled: readonly string[]): string {
  return [...calls, "|", ...settled.toSorted()].join("; ");
}

/** What happens to a run from outside, or how a call of the scene is settled. */
type RunStep =
  | { readonly does: "chunk" | "end" | "fail" | "signal" }
  | { readonly does: "fulfil" | "reject"; readonly call: string };

/** A run of `pipeline` into a `writer`, from a source that gives its chunks by hand. */
class InPipeline {
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

const concurrencies = [1, 2, 3];
const releases: Plan["release"][] = ["absent", ...kinds];
/** Fewer schedules would mean that a choice is no longer offered. */
const fewest = 60;
/** A turn of the event loop: every microtask that one step led to is over. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Takes each step when all that the one before led to is over. */
async function compare(plan: Plan, pick: Pick, mostWrites: number): Promise<void> {
  const stream = new Native(plan);
  const model = new Model(plan);
  await turn();
  const done: Step[] = [];
  for (let steps; (steps = stream.nextSteps(mostWrites)).length > 0;) {
    const step = steps[pick(steps.length)]!;
    done.push(step);
    model.take(step);
    stream.take(step);
    await turn();
    const [actual, expected] = [stream.describe(), describe(model.calls, [...model.settled])];
    if (actual !== expected) assertEquals(actual, expected, JSON.stringify({ ...plan, done }));
  }
  assert(stream.isOver && model.isOver, JSON.stringify({ ...plan, done }));
}

const pauses = [0, 1, 3];

/** Takes steps in one go, too: what was first is not always known, but a success must be one. */
async function checkBurst(plan: Plan, pick: Pick, mostWrites: number): Promise<void> {
  const stream = new Native(plan);
  const done: Step[] = [];
  const pause = pauses[pick(pauses.length)]!;
  await turn();
  for (let steps; (steps = stream.nextSteps(mostWrites)).length > 0;) {
    const step = steps[pick(steps.length)]!;
    done.push(step);
    stream.take(step);
    await microtasks(pause);
    if (stream.nextSteps(mostWrites).length === 0) await turn();
  }
  const { scene, settled } = stream;
  try {
    assert(stream.isOver);
    const failure = settled.get("closed");
    scene.check(failure);
    if (scene.failures.length > 0 && stream.count("aborted") === 0) {
      assertEquals(failure, { error: scene.failures[0]!.error });
    }
    if (stream.count("closed by us") > 0 && settled.get("closed by us") === undefined) {
      scene.check(undefined);
    }
  } catch (error) {
    throw new Error(JSON.stringify({ ...plan, done }), { cause: error });
  }
}

/** Runs `pipeline`: its failure is the first one, whatever is slow. */
async function checkRun(plan: Plan, pick: Pick, mostChunks: number): Promise<void> {
  const run = new InPipeline(plan);
  let first: { readonly error: unknown } | undefined;
  await turn();
  for (let steps; (steps = run.nextSteps(mostChunks)).length > 0;) {
    const step = steps[pick(steps.length)]!;
    if (run.outcome === undefined) first ??= run.failureOf(step);
    run.take(step);
    await turn();
    // A sink fails when nothing is in flight and it has released, not when a call does.
    if (run.scene.pending.size === 0) first ??= run.scene.failures[0];
  }
  await turn();
  const { chunksWritten, done, outcome, scene } = run;
  try {
    if (outcome === undefined) throw new Error("it hangs");
    scene.check(outcome.failure);
    assertEquals(outcome.failure === undefined, first === undefined);
    const [earlier] = scene.failures;
    // What was handed over is written first, and fails first.
    const isOfWrite = run.count("fail") > 0 && earlier?.call.startsWith("write") &&
      outcome.failure?.error === earlier.error;
    if (!isOfWrite) assertEquals(outcome.failure?.error, first?.error);
    if (first === undefined) assertEquals(chunksWritten, run.count("chunk"));
  } catch (error) {
    throw new Error(JSON.stringify({ ...plan, done, outcome }), { cause: error });
  }
}

for (const concurrency of concurrencies) {
  for (const release of releases) {
    const name = `writer(), ${concurrency} at a time, release ${release}`;
    const quick = { close: ["now"], abort: ["now"], release: [release as Kind] } as const;
    const mostWrites = concurrency === 1 ? 2 : 3;

    test(`${name}: every schedule of writes goes as the model says`, async () => {
      const count = await tryAll((pick) =>
        compare({ concurrency, release, kindOf: pickKinds(pick, quick) }, pick, mostWrites)
      );
      assert(count >= fewest);
    });

    test(`${name}: every schedule of its end goes as the model says`, async () => {
      const ends = { write: ["later"], release: [release as Kind] } as const;
      const count = await tryAll((pick) =>
        compare({ concurrency, release, kindOf: pickKinds(pick, ends) }, pick, 2)
      );
      assert(count >= fewest);
    });

    test(`${name}: a success is one when steps come in one go, too`, async () => {
      const late = { ...quick, write: ["later", "throws"] } as const;
      const count = await tryAll((pick) =>
        checkBurst({ concurrency, release, kindOf: pickKinds(pick, late) }, pick, 2)
      );
      assert(count >= fewest);
    });

    test(`${name}: pipeline() into it fails with the first failure, and hangs in no schedule`, async () => {
      const count = await tryAll((pick) =>
        checkRun({ concurrency, release, kindOf: pickKinds(pick, quick) }, pick, 2)
      );
      assert(count >= fewest);
    });
  }
}
