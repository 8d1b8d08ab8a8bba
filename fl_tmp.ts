import process from "node:process";
import { runFleet } from "/work/wt/me/tests/queue/simulation/fleet.ts";
const [w, p, h, r] = process.argv.slice(2).map(Number);
const t = process.cpuUsage();
const rep = await runFleet(
  { workers: w!, partitions: p!, hours: h!, rate: r!, seed: 1 },
  (x) => console.log(JSON.stringify(x)),
);
console.log(
  rep.lost,
  rep.disordered,
  process.cpuUsage(t).user / 1e6,
  process.memoryUsage().heapUsed / 1e6,
);
