type Body = () => unknown;

const tests: { readonly name: string; readonly body: Body }[] = [];

/** Stands for `node:test`'s in a page: keeps the test for `runTests`. */
export function test(name: string, ...rest: readonly unknown[]): void {
  tests.push({ name, body: rest.at(-1) as Body });
}

/** How many tests run at a time: a page's timers wait for 4 ms at least. */
const concurrency = 32;
/** For a test that hangs; a busy machine takes some seconds. */
const timeoutMs = 120_000;

/** What became of the tests in a page. */
export interface TestsReport {
  readonly passed: number;
  readonly leftOut: number;
  readonly failed: readonly string[];
}

async function limitTime(work: unknown): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`not done in ${timeoutMs} ms`)), timeoutMs);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}

/** Runs all tests but those whose names match. */
export async function runTests(leftOut: RegExp): Promise<TestsReport> {
  const chosen = tests.filter(({ name }) => !leftOut.test(name));
  const failed: string[] = [];
  const waiting = chosen.values();
  const runNext = async (): Promise<void> => {
    for (const { name, body } of waiting) {
      try {
        await limitTime(body());
      } catch (error) {
        failed.push(`${name}: ${String(error).slice(0, 300)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runNext));
  return {
    passed: chosen.length - failed.length,
    leftOut: tests.length - chosen.length,
    failed,
  };
}
