import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { startScript } from "../lib/start_script.ts";
import { turns } from "../lib/turns.ts";
import { asksForRoom, idleRuns } from "./_idle_runs.ts";

type Set = (callback: () => void, ...rest: unknown[]) => unknown;
type Timers = Record<"setTimeout" | "setInterval" | "setImmediate", Set>;

/** Notes which runs, by name, set a timer while `body` runs. */
async function noteTimers(
  body: (run: (name: string, start: () => void) => void, takeNames: () => string[]) => unknown,
): Promise<void> {
  const owner = new AsyncLocalStorage<string>();
  const realm = globalThis as unknown as Timers;
  const { setTimeout, setInterval, setImmediate } = realm;
  const own = Object.entries({ setTimeout, setInterval, setImmediate });
  let noted: string[] = [];
  for (const [name, set] of own) {
    realm[name as keyof Timers] = (...args) => {
      const run = owner.getStore();
      if (run !== undefined) noted.push(run);
      return set(...args);
    };
  }
  try {
    await body((name, start) => owner.run(name, start), () => {
      const names = [...new Set(noted)];
      noted = [];
      return names;
    });
  } finally {
    for (const [name, set] of own) realm[name as keyof Timers] = set;
  }
}

test("nothing that is idle sets a timer, but native streams to which more was given than was read", () =>
  noteTimers(async (run, takeNames) => {
    const stop = new AbortController();
    const asking = new Set(idleRuns.filter(asksForRoom).map(({ name }) => name));
    for (const { name, start } of idleRuns) run(name, () => start(stop.signal));
    await turns(30);
    takeNames();
    await turns(30);
    const setters = takeNames();
    assertEquals(setters.filter((name) => !asking.has(name)), []);
    assert(setters.length > 0, "what asks for room is noted");
    stop.abort();
    await turns(3);
    takeNames();
    await turns(30);
    // Node's own pipe does not cancel its source while a write of its sink hangs.
    assertEquals(takeNames().filter((name) => !name.endsWith("native, piped")), []);
  }));

test("a process in which all is idle ends by itself", async () => {
  const { stdout, stderr, code } = await startScript("tests/laws/_idle_program.ts", []).ended;
  const count = idleRuns.filter((run) => !asksForRoom(run)).length;
  assertEquals([stdout.trim(), stderr, code], [`${count} runs are idle`, "", 0]);
});
