import type * as Library from "../../../mod.ts";
import type { Chain, Way } from "./chain.ts";
import { ChainProbe } from "./chain_probe.ts";
import type { TakeUnhandled } from "./check_chain.ts";
import type { Outcome } from "./outcome.ts";
import { runChain } from "./run_chain.ts";

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
export async function checkProbed(
  chain: Chain,
  way: Way,
  isNative: boolean,
  library: typeof Library,
  takeUnhandled: TakeUnhandled,
): Promise<string[]> {
  takeUnhandled();
  const bare = await atRest(() => runChain(chain, way, isNative, library));
  const bareUnhandled = takeUnhandled().length;
  const probe = new ChainProbe(library);
  const probed = await atRest(() => runChain(chain, way, isNative, library, {}, probe));
  const unhandled = takeUnhandled().length;
  const problems = compareOutcomes(bare, probed);
  if (unhandled === bareUnhandled) return problems;
  return [...problems, `unhandled rejections: ${bareUnhandled}; probed ${unhandled}`];
}
