import { type MockTracker, test } from "node:test";

/** A test that replaces functions: they are put back at its end, which Deno does not do by itself. */
export function testWithMocks(name: string, run: (mocks: MockTracker) => Promise<void>): void {
  test(name, async ({ mock }) => {
    try {
      await run(mock);
    } finally {
      mock.restoreAll();
    }
  });
}
