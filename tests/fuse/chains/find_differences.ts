import fc from "fast-check";
import { probe } from "../../../src/inspect/mod.ts";
import { collectUnhandled } from "../../lib/collect_unhandled.ts";
import type { Chain, Outcome, Way } from "./chain.ts";
import { calmed, compare, endersOf, isExact } from "./compare.ts";
import { randomChain } from "./random_chain.ts";
import { type Jitter, runChain } from "./run_chain.ts";

/** Other times that ends may take; where the outcome is a race, native has more than one. */
const jitters: readonly Jitter[] = [
  ...[1, 4, 15, 60].flatMap((steps) => [{ source: steps }, { sink: steps }]),
  ...[1, -1, 2, -2, 3, -3].flatMap((steps) => [{ outside: steps }, { cancel: steps }]),
];

/** Takes the rejections that nobody handled since the last call. */
type TakeUnhandled = () => readonly unknown[];

/** Whether native pipes write into an identity stream that has no room: Deno 2.9 does, against the standard. */
let writesWithoutRoom: Promise<boolean> | undefined;

async function findWritesWithoutRoom(): Promise<boolean> {
  const source = new ReadableStream({ pull: (controller) => controller.enqueue(1) });
  const { readable, writable } = new TransformStream({}, { highWaterMark: 0 });
  let isRead = false;
  void source.pipeThrough({ readable, writable }).getReader().read().then(() => isRead = true);
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
  return isRead;
}

/**
 * Runs a chain natively and by the library, and says what differs. Where ours is not like the native run, native runs
 * again with ends that take more time: what any of them allows is allowed.
 */
async function checkChain(
  given: Chain,
  way: Way,
  takeUnhandled: TakeUnhandled,
): Promise<string[]> {
  writesWithoutRoom ??= findWritesWithoutRoom();
  const isPiped = given.source.shape !== "writes" && given.writableStrategy.highWaterMark === 0;
  const chain = isPiped && await writesWithoutRoom ? { ...given, writableStrategy: {} } : given;
  takeUnhandled();
  const native = await runChain(chain, way, true);
  const nativeUnhandled = takeUnhandled().length;
  const ours = await runChain(chain, way, false);
  const unhandled = takeUnhandled();
  const { count } = endersOf(chain);
  let calm: Outcome | undefined;
  if (count > 0) {
    calm = await runChain(calmed(chain), way, true);
    if (calm.result !== "closed") calm = undefined;
  }
  let problems = compare(chain, way, native, ours, calm);
  if (count > 0) {
    for (const jitter of jitters) {
      if (problems.length === 0) break;
      const other = await runChain(chain, way, true, jitter);
      const found = compare(chain, way, other, ours, calm);
      if (found.length < problems.length) problems = found;
    }
  }
  if (problems.length === 0 && isExact(chain) && ours.result !== "hung") {
    const later = await runChain(chain, way, false, { source: 7, sink: 7 });
    if (`${later.chunks}` !== `${ours.chunks}`) {
      problems = [`chunks by time: ${ours.chunks}; where its ends take longer ${later.chunks}`];
    }
  }
  takeUnhandled();
  if (unhandled.length > nativeUnhandled) {
    problems = [...problems, ...unhandled.map((reason) => `unhandled rejection: ${reason}`)];
  }
  return problems;
}

/** Runs while the clock stands: a run gives up its turn by it. */
async function atRest<T>(run: () => Promise<T>): Promise<T> {
  const { now } = performance;
  performance.now = () => 0;
  try {
    return await run();
  } finally {
    performance.now = now;
  }
}

/** Where two lists begin to differ, and a little of what follows. */
function difference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const from = Math.max(0, at - 40);
  return `${one.slice(from, at + 80)}; probed ${other.slice(from, at + 80)}`;
}

function compareOutcomes(bare: Outcome, probed: Outcome): string[] {
  return [
    ...(Object.keys(bare) as (keyof Outcome)[])
      .filter((key) => key !== "miscounts" && `${bare[key]}` !== `${probed[key]}`)
      .map((key) =>
        `${key}: ${difference(JSON.stringify(bare[key]), JSON.stringify(probed[key]))}`
      ),
    ...probed.miscounts,
  ];
}

/** Runs a chain with a probe around every part and with none, and says what differs: nothing may, nor may its order. */
async function checkProbed(
  chain: Chain,
  way: Way,
  takeUnhandled: TakeUnhandled,
): Promise<string[]> {
  takeUnhandled();
  const bare = await atRest(() => runChain(chain, way, false));
  const bareUnhandled = takeUnhandled().length;
  const look = probe({ capacity: 300 });
  const probed = await atRest(() => runChain(chain, way, false, {}, look));
  const unhandled = takeUnhandled().length;
  const problems = compareOutcomes(bare, probed);
  if (unhandled === bareUnhandled) return problems;
  return [...problems, `unhandled rejections: ${bareUnhandled}; probed ${unhandled}`];
}

export interface Search {
  readonly way: Way;
  readonly runs: number;
  readonly seed: number;
  /** Begins with the chain that fast-check has found there. */
  readonly path?: string | undefined;
  /** Compares with and without probes, by the library; default: natively and by the library. */
  readonly isProbed?: boolean;
}

/** Runs random chains and says of one that differs, made as simple as it still fails, what differs; undefined if none does. */
export async function findDifference(
  { way, runs, seed, path = "", isProbed }: Search,
): Promise<string | undefined> {
  const unhandled = collectUnhandled();
  const check = isProbed ? checkProbed : checkChain;
  let sign: string | undefined;
  const property = fc.asyncProperty(randomChain(way), async (chain) => {
    const problems = await check(chain, way, unhandled.take);
    // A simpler chain must fail in the same way, not in another.
    if (problems.length === 0 || (sign ??= signOf(problems)) !== signOf(problems)) return;
    throw new Error(problems.join("; "));
  });
  try {
    const found = await fc.check(property, { seed, path, numRuns: runs });
    return found.failed
      ? `HOSEPIPE_CHAIN=${seed},${found.counterexamplePath}: ${found.errorInstance} ${
        JSON.stringify(found.counterexample)
      }`
      : undefined;
  } finally {
    unhandled.close();
  }
}

function signOf(problems: readonly string[]): string {
  return [...new Set(problems.map((problem) => problem.split(":")[0]!.replace(/\d+/g, "")))].sort()
    .join();
}
