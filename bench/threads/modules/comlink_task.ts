import { parentPort } from "node:worker_threads";
import { type Endpoint, expose } from "comlink";
import * as adapter from "comlink/dist/esm/node-adapter.mjs";
import runBatch from "./pool_task.ts";

// Its types call the module the function that is its default export.
const toEndpoint =
  (adapter as unknown as { readonly default: (port: unknown) => Endpoint }).default;

expose({ runBatch }, toEndpoint(parentPort!));
