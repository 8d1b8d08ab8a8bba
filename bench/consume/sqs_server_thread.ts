// A thread of its own: what the server costs must not be the contestants'.
import { parentPort } from "node:worker_threads";
import { startFauxqs } from "fauxqs";

const { address } = await startFauxqs({ port: 0, host: "127.0.0.1", logger: false });
parentPort!.postMessage(address);
