// First: the library keeps `setImmediate` when it is loaded.
import "./virtual_turns.ts";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type KillOutcome, type KillPlan, simulateKills } from "./outside_kills.ts";

const plan: KillPlan = {
  ...{ seed: 1, workers: 4, messages: 1_000, killers: [], killEveryMs: 250, killsAll: false },
  killUntilMs: 600_000,
  ...{ longestStartMs: 800, leaseMs: 700, saveMs: 100 },
};

/** How often each message was worked on alone. */
function timesAlone({ history }: KillOutcome): Map<string, number> {
  const times = new Map<string, number>();
  for (const { what, id } of history.events) {
    if (what === "isolated") times.set(id, (times.get(id) ?? 0) + 1);
  }
  return times;
}

test(
  "1,000 workers killed from outside bury no healthy message",
  { timeout: 300_000 },
  async () => {
    let kills = 0;
    let mostAlone = 0;
    for (let seed = 1; kills < 1_000; seed++) {
      const outcome = await simulateKills({ ...plan, seed });
      assertEquals(outcome.dead, [], `seed ${seed}`);
      kills += outcome.kills;
      mostAlone = Math.max(mostAlone, ...timesAlone(outcome).values());
    }
    // Otherwise nothing was to be told apart.
    assert(mostAlone >= 5, `no message was worked on alone more than ${mostAlone} times`);
  },
);

test("a message that kills its workers is dead after five of them", async () => {
  const outcome = await simulateKills({ ...plan, killers: [40], killEveryMs: Infinity });
  assertEquals([outcome.dead, outcome.kills], [["m40"], 0]);
  // Two with others, and five alone.
  assertEquals([outcome.crashes, timesAlone(outcome).get("m40")], [7, 5]);
});

test("several that kill are all found, and nothing else", async () => {
  const killers = [3, 500, 501, 900];
  const outcome = await simulateKills({ ...plan, killers, killEveryMs: Infinity });
  assertEquals(outcome.dead.toSorted(), killers.map((index) => `m${index}`).toSorted());
  const times = timesAlone(outcome);
  for (const id of outcome.dead) assert(times.get(id)! <= 20, `${id}: ${times.get(id)}`);
});

test("one that kills is found among workers that are killed from outside", async () => {
  const outcome = await simulateKills({ ...plan, killers: [200], killUntilMs: 20_000 });
  assertEquals(outcome.dead, ["m200"]);
  assert(outcome.kills > 10, `${outcome.kills} kills`);
});
