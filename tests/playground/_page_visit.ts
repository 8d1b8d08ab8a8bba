import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { html: string }[];
  }[];
}

const axe = new URL("../../node_modules/axe-core/axe.min.js", import.meta.url);

/** What axe finds wrong, by rule and element; and what stands over the page's edge. */
export async function visitWhole(page: Page) {
  // What is shown only after use is looked at, too.
  await page.locator("#marks").getByLabel("Your guess").fill("5");
  await page.locator("#marks [data-do=run]").click();
  await page.locator("#marks [data-do=finish]").click();
  await page.locator("#marks [data-read]").waitFor();
  await page.locator("#code").getByLabel("Begin with").selectOption("2");
  await page.locator("#code [data-do=run]").click();
  await page.locator("#code [data-state=failed]").waitFor();
  await page.addScriptTag({ content: await readFile(axe, "utf8") });
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    // What is right is long, and of no use here.
    return (await axe.run({ resultTypes: ["violations"] })).violations;
  });
  const overflow = await page.evaluate(() => {
    interface Box {
      readonly scrollWidth: number;
      readonly clientWidth: number;
    }
    const { document } = globalThis as never as {
      document: { documentElement: Box; querySelectorAll(selector: string): Iterable<Box> };
    };
    // Sections cut off what stands over their edge, and the page would not know of it.
    const boxes = [document.documentElement, ...document.querySelectorAll("section")];
    return Math.max(...boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  });
  return {
    violations: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    overflow,
  };
}

/** With less motion nothing moves by itself; a step does. */
export async function visitCalmly(page: Page) {
  const section = page.locator("#backpressure");
  await section.getByText("Your system asks for less motion").waitFor();
  const play = await section.locator("[data-do=play]").innerText();
  const atRest = await section.locator(".log").innerText();
  const isRead = await section.locator(".log").getAttribute("aria-live");
  await section.locator("[data-do=step]").press("Enter");
  await section.locator(".log li").first().waitFor();
  return { play, atRest, isRead, afterStep: await section.locator(".log li").first().innerText() };
}
