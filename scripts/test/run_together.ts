import { resolve } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { endOf, loading } from "./plan_tests.ts";

type Owner = Record<string, unknown>;

/** What tests replace: whatever waits or looks at the time in the files after them would stand still. */
const watched: readonly (readonly [owner: unknown, ownerName: string, names: readonly string[]])[] =
  [
    [globalThis, "", ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "Date"]],
    [globalThis, "", ["clearTimeout", "clearInterval", "clearImmediate", "Promise", "fetch"]],
    [Date, "Date.", ["now"]],
    [Math, "Math.", ["random"]],
    [performance, "performance.", ["now"]],
  ];

/** Notes the functions that tests share. `check` throws if any was replaced, and puts it back. */
function noteGlobals(): { check(): void } {
  const noted = watched.flatMap(([owner, ownerName, names]) =>
    names.map((name) => {
      const own = owner as Owner;
      return { own, name, value: own[name], title: ownerName + name };
    })
  );
  return {
    check() {
      const left = noted.filter(({ own, name, value }) => own[name] !== value);
      for (const { own, name, value } of left) own[name] = value;
      if (left.length === 0) return;
      const titles = left.map(({ title }) => title).join(", ");
      throw new Error(`The file before has not put back ${titles}, which files after it use`);
    },
  };
}

// Runs the tests of the files that HOSEPIPE_TESTS names, one after the other, in one process: most of the time of a
// small file's own process goes into starting and into loading the library.

// Deno's report would sort them by the file that they stand in; called from here, they keep their order.
if (typeof Deno !== "undefined") {
  const ownTest = Deno.test as unknown as (...definition: unknown[]) => void;
  Object.assign(Deno, { test: (...definition: unknown[]) => ownTest(...definition) });
}

const globals = noteGlobals();
// Node ends once all tests that it knows have ended, even if a file is still to be loaded.
const { promise: loaded, resolve: setLoaded } = Promise.withResolvers<void>();
test(loading, () => loaded);
try {
  for (const file of (process.env.HOSEPIPE_TESTS ?? "").split("\n")) {
    await import(pathToFileURL(resolve(file)).href);
    // Says whose the tests before it are, and that all of them were run.
    test(endOf(file), () => globals.check());
  }
} finally {
  setLoaded();
}
