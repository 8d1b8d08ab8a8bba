import { workerData } from "node:worker_threads";

// Counts until it is stopped by hand: `[count, stop]`.
const shared = workerData as Int32Array;
while (Atomics.load(shared, 1) === 0) Atomics.add(shared, 0, 1);
