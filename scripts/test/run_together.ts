import { resolve } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { endOf, loading } from "./end_of.ts";
import { noteGlobals } from "./note_globals.ts";

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
