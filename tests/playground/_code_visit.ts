import type { Locator, Page } from "playwright-core";
import { scrubThrough } from "./_state.ts";

async function outcomeOf(section: Locator, state: string) {
  const outcome = section.locator(`[data-state=${state}][role=status]`);
  await outcome.waitFor();
  return {
    text: await outcome.innerText(),
    line: await outcome.getAttribute("data-line"),
    marked: await section.locator(".lines .bad").allInnerTexts(),
    printed: await section.locator(".printed").allInnerTexts(),
  };
}

/** Code, what it must end as, and its line. */
export const programs: readonly (readonly [state: string, code: string])[] = [
  ["failed", "const a = 1;\nconst b = ;\nconsole.log(a, b);\n"],
  ["failed", "console.log('begins');\n\n\nnull.length;\n"],
  ["failed", "import { nothing } from 'elsewhere';\n"],
  ["failed", "setTimeout(() => {\n  throw new Error('late');\n});\nawait new Promise(() => {});\n"],
  [
    "done",
    "import * as all from '@hosepipe/streams';\nconsole.log(typeof all.pipeline, { a: 1n < 2 }, [1]);\n",
  ],
];

/** Section 7: runs the examples, breaks code, stops an endless loop, and passes code on by its link. */
export async function visitCode(page: Page) {
  const section = page.locator("#code");
  const run = section.locator("[data-do=run]");
  const field = section.getByRole("textbox", { name: "Your code" });
  const example = section.getByLabel("Begin with");

  await run.click();
  const native = await outcomeOf(section, "done");
  const scrubbed = await scrubThrough(section);

  await example.selectOption("1");
  await run.click();
  await section.getByText("pulls: nothing is read").waitFor();
  const pulled = await outcomeOf(section, "done");
  const buffers = await section.locator("[data-buffer]").count();

  await example.selectOption("2");
  await run.click();
  const failing = await outcomeOf(section, "failed");

  await example.selectOption("3");
  await run.click();
  await section.locator("[data-state=silent]").waitFor();
  const silent = await outcomeOf(section, "silent");
  await section.locator("[data-do=stop]").press("Enter");
  const stopped = await outcomeOf(section, "stopped");

  const outcomes = [];
  for (const [state, code] of programs) {
    await field.fill(code);
    await field.press("Control+Enter");
    outcomes.push(await outcomeOf(section, state));
  }

  // Tab indents; after Escape it leaves the field.
  await field.fill("let tab;");
  await field.press("Home");
  await field.press("Tab");
  const indented = await field.innerText();
  const isFocused = () =>
    field.evaluate((element) => {
      const { document } = globalThis as never as { document: { activeElement: unknown } };
      return element as unknown === document.activeElement;
    });
  // The two keys belong together for two seconds, which a busy machine may let pass.
  let hasLeft = false;
  for (let attempt = 0; attempt < 10 && !hasLeft; attempt++) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    hasLeft = !await isFocused();
  }

  const code = "// ü 漢 🚿\nconsole.log('from a link');\n";
  await field.fill(code);
  await section.locator("[data-do=link]").click();
  await section.locator("[data-notice]:not(:empty)").waitFor();
  const hash = new URL(page.url()).hash;
  return {
    ...{ native, scrubbed, pulled, buffers, failing, silent, stopped, outcomes, indented, hasLeft },
    ...{ hash, code },
  };
}

/** Code that came with a link: it is shown, and does not run by itself. */
export async function visitLink(page: Page) {
  const section = page.locator("#code");
  await section.getByText(/came with the link|is damaged/).waitFor();
  const field = section.getByRole("textbox", { name: "Your code" });
  const text = await field.innerText();
  const ran = await section.locator("[data-state]").count();
  const notice = await section.locator("[data-notice]").innerText();
  return { text, ran, notice };
}
