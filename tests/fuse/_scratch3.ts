import process from "node:process";
import fc from "fast-check";
import { chains } from "./_chain_description.ts";
import { problemsOf } from "./_problems.ts";
import { runPair, runPipeline } from "./_run_chain.ts";
const count = Number(process.env.COUNT ?? 500), seed = Number(process.env.SEED ?? 1);
const unhandled: unknown[] = [];
process.on("unhandledRejection", (r) => void unhandled.push(r));
const sigs = new Map<string, { n: number; size: number; chain: unknown; problems: string[] }>();
const t0 = performance.now();
let i = 0;
for (const chain of fc.sample(chains, { seed, numRuns: count })) {
  unhandled.length = 0;
  i++;
  const problems: string[] = [];
  const dbg = process.env.DBG;
  if (dbg) console.error(i, JSON.stringify(chain));
  try {
    problems.push(
      ...await problemsOf("native", chain, await runPair("native", chain)),
      ...unhandled.splice(0).map((r) => `unhandled in native: ${(r as any)?.stack}`),
      ...await problemsOf("fuse", chain, await runPair("fuse", chain)),
      ...unhandled.splice(0).map((r) => `unhandled in fuse: ${(r as any)?.stack}`),
      ...await problemsOf("pipeline", chain, await runPipeline(chain)),
      ...unhandled.splice(0).map((r) => `unhandled in pipeline: ${(r as any)?.stack}`),
      ...unhandled.map((r) => `unhandled rejection: ${r}`),
    );
  } catch (e) {
    problems.push("CRASH " + (e as Error).stack);
  }
  for (
    const p of new Set(
      problems.map((p) =>
        p.replace(/: .*?$/s, (m) => p.startsWith("CRASH") ? m.slice(0, 80) : m.slice(0, 60))
          .replace(
            /\d+/g,
            "#",
          ).replace(/c#\S*|transform \S+|start,?|flush,?|cancel,?/g, "").slice(0, 70)
      ),
    )
  ) {
    const size = JSON.stringify(chain).length;
    const known = sigs.get(p);
    if (!known) sigs.set(p, { n: 1, size, chain, problems });
    else {
      known.n++;
      if (size < known.size) Object.assign(known, { size, chain, problems });
    }
  }
}
console.log(count, "chains", Math.round(performance.now() - t0), "ms");
function short(chain: any) {
  return JSON.stringify(chain.stages.map((s: any) => {
    const o: any = { op: s.operator, t: s.timing[0] + s.delay, size: s.size, shape: s.shape };
    if (s.failure) o.failure = s.failure;
    for (const h of ["start", "flush", "cancel"]) {
      if (s[h].mode !== "none") {
        o[h] = s[h].mode + (s[h].isAsync ? " async" + s[h].delay : "") +
          (s[h].kind ? " k" + s[h].kind : "");
      }
    }
    return o;
  })).replace(/"/g, "").replace(/\},\{op/g, "},\n      {op") + "\n   source " +
    JSON.stringify(chain.source) + "\n   consumer " + JSON.stringify(chain.consumer) + " w " +
    JSON.stringify(chain.writableStrategy) + " r " + JSON.stringify(chain.readableStrategy);
}
const shown = new Set();
for (
  const [sig, { n, chain, problems }] of [...sigs].sort((a, b) => b[1].n - a[1].n).slice(
    0,
    Number(process.env.TOP ?? 12),
  )
) {
  if (shown.has(chain)) {
    console.log(`### ${n} × ${sig} (as above)`);
    continue;
  }
  shown.add(chain);
  console.log(`\n### ${n} × ${sig}`);
  console.log(short(chain));
  for (const p of problems.slice(0, 6)) console.log("   -", p.slice(0, 400));
}
process.exit(0);
