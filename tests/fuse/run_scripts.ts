// Runs random scripts against one native transform stream and one fused stage, and prints each that differs:
//   deno run -A tests/fuse/run_scripts.ts --runs 3000 --seed 1
import process from "node:process";
import { pathToFileURL } from "node:url";
import type * as Library from "../../mod.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { parseCommandLine } from "../../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../../scenarios/command_line/run_command.ts";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { microtasks } from "../lib/microtasks.ts";
import { Random } from "./chains/random.ts";

/** What a transformer's method does, in the order given. */
type Act = "enqueue" | "error" | "terminate" | "throw" | "tick" | "hold";

/** One step of a script, as a user at the ends of a pair takes it. */
type Step =
  | "write"
  | "close"
  | "abort"
  | "read"
  | "cancel"
  | "enqueue"
  | "error"
  | "terminate"
  | "look"
  | "release"
  | "tick"
  | "turn";

/** A transformer between two ends, and what is done with them, step by step. */
interface Script {
  readonly start: readonly Act[];
  /** What each call of `transform` does; the last goes on for ever. None: there is no `transform`. */
  readonly transform: readonly (readonly Act[])[];
  readonly flush: readonly Act[] | null;
  readonly cancel: readonly Act[] | null;
  readonly writableMark: number | null;
  readonly readableMark: number | null;
  /** Whether the strategies have a `size`. */
  readonly hasSize: boolean;
  readonly steps: readonly Step[];
}

type Controller = TransformStreamDefaultController<unknown>;
type Pair = ReadableWritablePair<unknown, unknown>;
type Make = (
  transformer: Transformer<unknown, unknown>,
  writable: QueuingStrategy | undefined,
  readable: QueuingStrategy | undefined,
) => Pair;

/** What came of a script. */
interface Trace {
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
async function runScript(script: Script, make: Make): Promise<Trace> {
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

function acts(random: Random, ...rare: Act[]): Act[] {
  const length = random.pick(0, 1, 1, 1, 2, 2, 3);
  return Array.from(
    { length },
    () => random.chance(0.15) ? random.pick(...rare) : random.pick("enqueue", "enqueue", "tick"),
  );
}

/** The script of a seed. */
function randomScript(seed: number): Script {
  const random = new Random(seed);
  const ends: Act[] = ["error", "terminate", "throw", "hold"];
  const step = (): Step =>
    random.chance(0.12)
      ? random.pick("close", "abort", "cancel", "error", "terminate")
      : random.pick(
        "write",
        "write",
        "read",
        "read",
        "enqueue",
        "look",
        "release",
        "tick",
        "tick",
        "turn",
      );
  return {
    start: random.chance(0.6) ? [] : acts(random, ...ends),
    transform: Array.from({ length: random.upTo(3) }, () => acts(random, ...ends)),
    flush: random.chance(0.4) ? null : acts(random, ...ends),
    cancel: random.chance(0.4) ? null : acts(random, "error", "throw", "hold", "terminate"),
    writableMark: random.pick(null, null, 0, 1, 2, 7),
    readableMark: random.pick(null, null, 0, 1, 2, 7),
    hasSize: random.chance(0.2),
    steps: Array.from({ length: 3 + random.upTo(12) }, step),
  };
}

/** Whether ours may go on reading chunks where native has dropped them for a failure. */
function isRead(native: readonly string[], ours: readonly string[]): boolean {
  const failed = native.findIndex((read) => read.startsWith("failed"));
  if (failed < 0) return false;
  return native.slice(0, failed).every((read, index) => read === ours[index]) &&
    ours.slice(failed).every((read) => !read.startsWith("failed") || native.includes(read));
}

/**
 * What differs, but for two things that are so on purpose: a failure stands behind the chunks that were made before
 * it, so that the readable side fails when they are read; and an abort waits for no write that waits for room, nor for
 * a start, where native's is pending.
 */
function compareTraces(script: Script, native: Trace, ours: Trace): string[] {
  const problems: string[] = [];
  const isEarlyAbort = native.results.some((result, index) =>
    script.steps[index] === "abort" && result === "pending" && ours.results[index] === "done"
  );
  for (const part of ["results", "reads", "calls", "ends"] as const) {
    const theirs = native[part].join(" | ");
    const own = ours[part].join(" | ");
    if (theirs === own || isEarlyAbort) continue;
    if (part === "reads" && isRead(native.reads, ours.reads)) continue;
    const isBehind = native.ends[1]!.startsWith("failed") && ours.ends[1] === "pending";
    if (part === "ends" && isBehind && native.ends[0] === ours.ends[0]) continue;
    problems.push(`${part}:\n      native ${theirs}\n      ours   ${own}`);
  }
  return problems;
}

/** Runs a script with a native pair and with a fused one, and says what differs. */
async function checkScript(script: Script, { fuse }: typeof Library): Promise<string[]> {
  const native = await runScript(
    script,
    (transformer, writable, readable) => new TransformStream(transformer, writable, readable),
  );
  const ours = await runScript(
    script,
    (transformer, writableStrategy, readableStrategy) =>
      fuse(transformer, {
        writableStrategy: writableStrategy ?? {},
        readableStrategy: readableStrategy ?? {},
      }),
  );
  return compareTraces(script, native, ours);
}

/** Scripts with one part less, or one step less. */
function* simplerScripts(script: Script): Generator<Script> {
  for (const index of script.steps.keys()) {
    yield { ...script, steps: script.steps.toSpliced(index, 1) };
  }
  for (const index of script.transform.keys()) {
    yield { ...script, transform: script.transform.toSpliced(index, 1) };
    for (const act of script.transform[index]!.keys()) {
      yield {
        ...script,
        transform: script.transform.with(index, script.transform[index]!.toSpliced(act, 1)),
      };
    }
  }
  for (const name of ["start", "flush", "cancel"] as const) {
    const acts = script[name];
    if (acts === null) continue;
    if (name !== "start") yield { ...script, [name]: null };
    for (const index of acts.keys()) yield { ...script, [name]: acts.toSpliced(index, 1) };
  }
  for (const name of ["writableMark", "readableMark"] as const) {
    if (script[name] !== null) yield { ...script, [name]: null };
  }
  if (script.hasSize) yield { ...script, hasSize: false };
}

await runCommand(async (args) => {
  const given = parseCommandLine(args, {
    command: "deno run -A tests/fuse/run_scripts.ts",
    about: "Runs random scripts with a native transform stream and a fused stage.",
    flags: {
      runs: { kind: "integer", about: "default: 3000", minimum: 1 },
      seed: { kind: "integer", about: "the first script's; default: random" },
      "at-most": { kind: "integer", about: "stops after so many; default: 5", minimum: 1 },
      script: { kind: "text", value: "JSON", about: "runs this script alone" },
      library: { kind: "text", value: "FILE", about: "a mod.ts in place of this checkout's" },
    },
    examples: [
      "deno run -A tests/fuse/run_scripts.ts --runs 100000",
      "deno run -A tests/fuse/run_scripts.ts --seed 42 --runs 1",
    ],
  });
  const library = await import(
    given.library === undefined ? "../../mod.ts" : pathToFileURL(given.library).href
  );
  const unhandled = collectUnhandled();
  const check = (script: Script) => checkScript(script, library);
  if (given.script !== undefined) {
    console.log((await check(JSON.parse(given.script))).join("\n"));
    process.exit(0);
  }
  const runs = given.runs ?? 3000;
  const seed = given.seed ?? Math.floor(Math.random() * 2 ** 31);
  const sign = (problems: readonly string[]) => problems.map((text) => text.split(":")[0]).join();
  let differing = 0;
  for (let run = 0; run < runs && differing < (given["at-most"] ?? 5); run++) {
    let script = randomScript(seed + run);
    let problems = await check(script);
    if (problems.length === 0) continue;
    differing++;
    search: for (;;) {
      for (const simpler of simplerScripts(script)) {
        const found = await check(simpler);
        if (sign(found) !== sign(problems)) continue;
        script = simpler;
        problems = found;
        continue search;
      }
      break;
    }
    console.log(
      `✗ seed ${seed + run}\n    ${problems.join("\n    ")}\n    --script '${
        JSON.stringify(script)
      }'`,
    );
  }
  unhandled.close();
  const { name } = currentRuntime();
  console.log(`${name}: ${runs} scripts from seed ${seed}, ${differing} differ`);
  process.exit(differing > 0 ? 1 : 0);
});
