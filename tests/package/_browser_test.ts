import leftOutLaws from "./left_out_laws.json" with { type: "json" };

/** The laws that are not asked of a browser or runtime, since they fail on its own streams. */
export function leftOut(where: keyof typeof leftOutLaws): RegExp[] {
  return leftOutLaws[where].map(({ pattern }) => new RegExp(pattern));
}

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

/** Which tests run, by their names. */
interface Choice {
  /** Default: all. */
  readonly chosen?: RegExp;
  /** Those of the chosen that do not run. */
  readonly leftOut: readonly RegExp[];
}

/** Runs the tests that are chosen; a pattern that leaves none out fails, since nobody would miss it. */
export async function runTests({ chosen: pattern, leftOut }: Choice): Promise<TestsReport> {
  const all = pattern === undefined ? tests : tests.filter(({ name }) => pattern.test(name));
  const chosen = all.filter(({ name }) => !leftOut.some((each) => each.test(name)));
  const failed: string[] = leftOut
    .filter((each) => !tests.some(({ name }) => each.test(name)))
    .map((each) => `${each} leaves nothing out`);
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
    passed: Math.max(0, chosen.length - failed.length),
    leftOut: all.length - chosen.length,
    failed,
  };
}
