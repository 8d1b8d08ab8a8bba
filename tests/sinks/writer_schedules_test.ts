import { test } from "node:test";
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
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
  }
}
