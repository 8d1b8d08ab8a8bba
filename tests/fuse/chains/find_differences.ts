import type * as Library from "../../../mod.ts";
import { collectUnhandled } from "../../lib/collect_unhandled.ts";
import type { Chain, Stage, Way } from "./chain.ts";
import { ChainProbe } from "./chain_probe.ts";
import { checkChain, type TakeUnhandled } from "./check_chain.ts";
import type { Outcome } from "./outcome.ts";
import { randomChain } from "./random_chain.ts";
import { runChain } from "./run_chain.ts";

/** Simpler chains than this one, the simplest first. */
function* simpler(chain: Chain): Generator<Chain> {
  const { stages, source, sink, ends } = chain;
  if (stages.length > 1) {
    for (const index of stages.keys()) {
      const kept = ends.filter(({ stage }) => stage !== index)
        .map((end) => ({ ...end, stage: end.stage > index ? end.stage - 1 : end.stage }));
      yield { ...chain, stages: stages.toSpliced(index, 1), ends: kept };
    }
  }
  for (const index of ends.keys()) yield { ...chain, ends: ends.toSpliced(index, 1) };
  for (const [index, end] of ends.entries()) {
    for (const name of ["kind", "delay", "count"] as const) {
      if (end[name] === 0) continue;
      for (const value of new Set([0, end[name] - 1])) {
        yield { ...chain, ends: ends.with(index, { ...end, [name]: value }) };
      }
    }
  }
  for (const [index, stage] of stages.entries()) {
    for (const simple of simplerParts(stage, plainStage)) {
      yield { ...chain, stages: stages.with(index, simple) };
    }
  }
  for (const simple of simplerParts(source, plainSource)) yield { ...chain, source: simple };
  for (const simple of simplerParts(sink, plainSink)) yield { ...chain, sink: simple };
  for (const name of ["writableStrategy", "readableStrategy"] as const) {
    const strategy = chain[name];
    if (strategy.size !== undefined) yield { ...chain, [name]: { ...strategy, size: undefined } };
    if (Object.keys(strategy).length > 0) yield { ...chain, [name]: {} };
  }
}

const plainStage: Partial<Stage> = {
  operator: "none",
  timing: "sync",
  delay: 0,
  size: 1,
  shape: 0,
};
const plainSource = { shape: "pull", odd: 0, delay: 0, burst: 1, strategy: {}, kind: 0, count: 0 };
const plainSink = { shape: "pipe", reads: 1, strategy: {}, delay: 0, kind: 0, endsAt: 0 };

/** The same record with one member plain, gone, or smaller. */
function* simplerParts<Part extends object>(
  part: Part,
  plain: Partial<Record<string, unknown>>,
): Generator<Part> {
  for (const [name, value] of Object.entries(part)) {
    if (value === undefined) continue;
    if (!(name in plain) && typeof value === "object") {
      yield { ...part, [name]: undefined };
      for (const simple of simplerParts(value as object, { delay: 0, kind: 0, at: 0, after: 0 })) {
        yield { ...part, [name]: simple };
      }
    } else if (name in plain && JSON.stringify(plain[name]) !== JSON.stringify(value)) {
      yield { ...part, [name]: plain[name] };
      if (typeof value === "number" && value > 1) {
        yield { ...part, [name]: Math.floor(value / 2) };
        yield { ...part, [name]: value - 1 };
      }
    }
  }
}

/** The simplest chain that still fails, as far as single changes lead. */
async function shrink(
  chain: Chain,
  fails: (chain: Chain) => Promise<boolean>,
  attempts = 2000,
): Promise<Chain> {
  let current = chain;
  let left = attempts;
  search: while (left > 0) {
    for (const candidate of simpler(current)) {
      if (left-- === 0) break search;
      const copy: Chain = JSON.parse(JSON.stringify(candidate));
      if (JSON.stringify(copy) !== JSON.stringify(current) && await fails(copy)) {
        current = copy;
        continue search;
      }
    }
    break;
  }
  return current;
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
  isNative: boolean,
  library: typeof Library,
  takeUnhandled: TakeUnhandled,
): Promise<string[]> {
  takeUnhandled();
  const bare = await atRest(() => runChain(chain, way, isNative, library));
  const bareUnhandled = takeUnhandled().length;
  const probe = new ChainProbe();
  const probed = await atRest(() => runChain(chain, way, isNative, library, {}, probe));
  const unhandled = takeUnhandled().length;
  const problems = compareOutcomes(bare, probed);
  if (unhandled === bareUnhandled) return problems;
  return [...problems, `unhandled rejections: ${bareUnhandled}; probed ${unhandled}`];
}

/** A chain that does not do what its native twin does. */
export interface ChainDifference {
  /** The seed of this chain alone. */
  readonly seed: number;
  /** The chain, made as simple as it still fails. */
  readonly chain: Chain;
  readonly problems: readonly string[];
}

export interface Search {
  readonly way: Way;
  readonly runs: number;
  /** The seed of the first chain; those of the others follow. */
  readonly seed: number;
  readonly library: typeof Library;
  /** Compares with and without probes, by the library or natively; default: natively and by the library. */
  readonly probed?: "ours" | "native";
  /** Stops after so many. */
  readonly atMost: number;
  readonly onProgress?: (runs: number) => void;
}

/** Runs random chains and gives those that differ, simplified. */
export async function findDifferences(search: Search): Promise<ChainDifference[]> {
  const { way, runs, seed, library, probed, atMost, onProgress } = search;
  const unhandled = collectUnhandled();
  const found: ChainDifference[] = [];
  try {
    for (let run = 0; run < runs && found.length < atMost; run++) {
      const own = seed + run;
      const check = (chain: Chain) =>
        probed === undefined
          ? checkChain(chain, way, library, unhandled.take)
          : checkProbed(chain, way, probed === "native", library, unhandled.take);
      const problems = await check(randomChain(own, way));
      if (problems.length > 0) {
        // A simpler chain must fail in the same way, not in another.
        const sign = signOf(problems);
        const chain = await shrink(
          randomChain(own, way),
          async (chain) => signOf(await check(chain)) === sign,
        );
        found.push({ seed: own, chain, problems: await check(chain) });
      }
      onProgress?.(run + 1);
    }
  } finally {
    unhandled.close();
  }
  return found;
}

function signOf(problems: readonly string[]): string {
  return [...new Set(problems.map((problem) => problem.split(":")[0]!.replace(/\d+/g, "")))].sort()
    .join();
}
