/** The laws as they stand, run in the page of a browser. */
import "../laws/ends_test.ts";
import "../laws/errors_test.ts";
import "../laws/identity_test.ts";
import "../laws/known_shapes_test.ts";
import "../laws/sources_test.ts";
import { leftOut, runTests } from "./_browser_test.ts";

export function runLaws() {
  return runTests({ leftOut: leftOut("Chromium") });
}
