import { microtasks } from "../../lib/microtasks.ts";
import type { Act, Script } from "./script.ts";

type Controller = TransformStreamDefaultController<unknown>;
type Pair = ReadableWritablePair<unknown, unknown>;
type Make = (
  transformer: Transformer<unknown, unknown>,
  writable: QueuingStrategy | undefined,
  readable: QueuingStrategy | undefined,
) => Pair;

/** What came of a script. */
export interface Trace {
  /** What each step came to, by its number. */
  readonly results: readonly string[];
  /** What the reads came to, in their order. */
  readonly reads: readonly string[];
  /** Calls of the transformer's methods and of `size`, in their order. */
  readonly calls: readonly string[];
  /** How the two ends stand. */
  readonly ends: readonly string[];
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Runs a script with the pair that `make` makes. */
export async function runScript(script: Script, make: Make): Promise<Trace> {
  const results: string[] = [];
  const reads: string[] = [];
  const calls: string[] = [];
  const ends = ["pending", "pending"];
  const reasons = new Map<unknown, string>();
  const held: (() => void)[] = [];
  let made = 0;
  let enqueued = 0;
  let controller!: Controller;

  const reason = (label: string) => {
    const error = new Error(label);
    reasons.set(error, label);
    return error;
  };
  const show = (value: unknown) =>
    reasons.get(value) ?? (value instanceof TypeError ? "TypeError" : String(value));
  const perform = (label: string, acts: readonly Act[]): unknown => {
    for (const [index, act] of acts.entries()) {
      const name = `${label}.${index}`;
      if (act === "enqueue") controller.enqueue(`c${enqueued++}`);
      else if (act === "error") controller.error(reason(name));
      else if (act === "terminate") controller.terminate();
      else if (act === "throw") throw reason(name);
      else {
        const rest = acts.slice(index + 1);
        const wait = act === "tick"
          ? microtasks(2)
          : new Promise<void>((resolve) => held.push(resolve));
        return wait.then(() => perform(`${name}+`, rest));
      }
    }
  };
  const strategy = (mark: number | null, side: string): QueuingStrategy | undefined => {
    if (mark === null && !script.hasSize) return undefined;
    return {
      ...(mark === null ? {} : { highWaterMark: mark }),
      ...(script.hasSize
        ? { size: (chunk: unknown) => (calls.push(`${side} size ${chunk}`), 1) }
        : {}),
    };
  };
  let transforms = 0;
  const { start, transform, flush, cancel } = script;
  const transformer: Transformer<unknown, unknown> = {
    start(given) {
      controller = given;
      calls.push("start");
      return perform("start", start) as void;
    },
    ...(transform.length === 0 ? {} : {
      transform(chunk: unknown) {
        calls.push(`transform ${chunk}`);
        const index = Math.min(transforms++, transform.length - 1);
        return perform(`transform${index}`, transform[index]!) as void;
      },
    }),
    ...(flush === null ? {} : {
      flush() {
        calls.push("flush");
        return perform("flush", flush) as void;
      },
    }),
    ...(cancel === null ? {} : {
      cancel(why: unknown) {
        calls.push(`cancel ${show(why)}`);
        return perform("cancel", cancel) as void;
      },
    }),
  };
  let pair: Pair;
  try {
    pair = make(
      transformer,
      strategy(script.writableMark, "writable"),
      strategy(script.readableMark, "readable"),
    );
  } catch (error) {
    return { results: [`threw ${show(error)}`], reads, calls, ends };
  }
  const writer = pair.writable.getWriter();
  const reader = pair.readable.getReader();
  const watch = (index: number, promise: Promise<unknown>) => {
    results[index] = "pending";
    promise.then(
      () => results[index] = "done",
      (error) => results[index] = `failed ${show(error)}`,
    );
  };
  const closed = [writer.closed, reader.closed];
  for (const [index, end] of closed.entries()) {
    end.then(() => ends[index] = "closed", (error) => ends[index] = `failed ${show(error)}`);
  }
  writer.ready.catch(() => {});
  for (const [index, step] of script.steps.entries()) {
    const why = () => reason(`${step} ${index}`);
    try {
      if (step === "write") watch(index, writer.write(`w${made++}`));
      else if (step === "close") watch(index, writer.close());
      else if (step === "abort") watch(index, writer.abort(why()));
      else if (step === "cancel") watch(index, reader.cancel(why()));
      else if (step === "read") {
        const place = reads.push("pending") - 1;
        reader.read().then(
          ({ done, value }) => reads[place] = done ? "end" : String(value),
          (error) => reads[place] = `failed ${show(error)}`,
        );
      } else if (step === "enqueue") controller.enqueue(`e${index}`);
      else if (step === "error") controller.error(why());
      else if (step === "terminate") controller.terminate();
      else if (step === "look") results[index] = `${controller.desiredSize} ${writer.desiredSize}`;
      else if (step === "release") held.shift()?.();
      else if (step === "tick") await microtasks(1);
      else await turn();
    } catch (error) {
      results[index] = `threw ${show(error)}`;
    }
  }
  for (let turns = 0; turns < 2; turns++) await turn();
  return { results, reads, calls, ends };
}
