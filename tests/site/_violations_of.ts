import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const { source } = createRequire(import.meta.url)("axe-core") as { readonly source: string };

/** What axe finds wrong, by rule and element. */
export async function violationsOf(page: Page): Promise<string[]> {
  // The policy of the page lets no script in, but the browser itself may put one there.
  await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    // The policy lets it fetch no styles; the playground, in a frame, has a test of its own. What is right is long, and
    // of no use here.
    const options = { preload: false, iframes: false, resultTypes: ["violations"] };
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    return (await axe.run(options)).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`)
  );
}
