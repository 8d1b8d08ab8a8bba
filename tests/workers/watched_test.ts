import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { pipeline } from "../../mod.ts";
import { pendingRuns, probe } from "../../src/inspect/mod.ts";
import { serveProbe } from "../../node_compat/mod.ts";
import { inWorkers } from "../../src/workers/mod.ts";
import { turns } from "../lib/turns.ts";
import { EventClient } from "../probe_server/_event_client.ts";
import type { Order } from "./modules/hard.ts";

const hanging = () =>
  inWorkers<typeof import("./modules/hard.ts")>(new URL("./modules/hard.ts", import.meta.url), {
    threads: 2,
    blockSize: 1,
  });
const orders: Order[] = Array.from({ length: 10 }, () => ({ does: "hang" }));
const said = /^4 blocks in flight, 2 of 2 threads at work, 0\.0 s of work so far$/;

test("pendingRuns says what threads do", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const run = pipeline(orders, hanging(), () => {}, { signal });
  await turns();
  const [{ waitsFor }] = pendingRuns() as [ReturnType<typeof pendingRuns>[number]];
  assertEquals([waitsFor[0]!.stage, waitsFor[0]!.name], [1, "inWorkers"]);
  assertMatch(waitsFor[0]!.what, said);
  controller.abort();
  await run.catch(() => {});
});

test("so does the page of a probe, and that of a run without one", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const look = probe();
  const runs = [
    pipeline(look.reader(orders), look.transformer(hanging(), { name: "threads" }), () => {}, {
      signal,
    }),
    pipeline(orders, hanging(), () => {}, { signal, runName: "clean" }),
  ];
  await turns();
  for (const shown of [look, "clean"]) {
    const { url, close } = await serveProbe(shown);
    const page = await EventClient.open(url);
    const { state } = await page.state();
    assertMatch(String(state.stages[1]!.waitsFor), said);
    await close();
  }
  controller.abort();
  await Promise.allSettled(runs);
});
