import type { Chain, Stage } from "./chain.ts";

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
export async function shrink(
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
