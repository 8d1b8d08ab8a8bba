/** The laws as they stand, run in the page of a browser. */
import "../laws/cancel_test.ts";
import "../laws/early_return_test.ts";
import "../laws/empty_source_test.ts";
import "../laws/ends_test.ts";
import "../laws/errors_test.ts";
import "../laws/identity_test.ts";
import "../laws/known_shapes_test.ts";
import "../laws/laziness_test.ts";
import "../laws/reuse_test.ts";
import "../laws/sources_test.ts";
import { runTests } from "./_browser_test.ts";

/**
 * Chromium and WebKit know no `cancel` of a transformer, and go on transforming what waits while a stream is
 * cancelled: what a native chain then fails with is theirs.
 */
const ofNativeStreams = /^native, .*(?:promises|async).* in the sink|^native: flush does not run/;

export function runLaws() {
  return runTests(ofNativeStreams);
}
