import process from "node:process";
import { threads } from "./bench/threads/workload.ts";
const [contestant, job, n] = process.argv.slice(2);
const c = await threads.prepare({ contestant: contestant!, params: { job: job!, threads: 2, chunks: Number(n) } });
for (let i = 0; i < 4; i++) { const t = performance.now(), u = process.cpuUsage(); await c.run(); const d = process.cpuUsage(u); console.log(contestant, job, (performance.now() - t).toFixed(1), "cpu", ((d.user + d.system) / 1000).toFixed(0)); await c.verify(); }
process.exit(0);
