import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { runFleet } from "./fleet.ts";

test("a fleet loses nothing, and buries only what kills its workers", async () => {
  const options = { workers: 150, partitions: 500, hours: 0.5, rate: 10, seed: 2 };
  const { phases, lost, disordered } = await runFleet(options, () => {});
  assertEquals([lost, disordered], [0, 0]);
  const sum = (count: (phase: typeof phases[number]) => number) =>
    phases.reduce((all, phase) => all + count(phase), 0);
  assertEquals(sum(({ healthyDead }) => healthyDead), 0);
  const [sent, stored, buried] = [
    sum(({ sent }) => sent),
    sum(({ stored }) => stored),
    sum(({ killersDead }) => killersDead),
  ];
  assert(buried > 0, "some kill");
  assertEquals([sent, stored + buried], [18_000, 18_000]);
  const [steady, zone, , , deploy] = phases;
  assertEquals(steady!.redelivered, 0);
  assert(zone!.redelivered > 0 && deploy!.calls.nack > 0, "the loss of a zone, and a deploy");
});
