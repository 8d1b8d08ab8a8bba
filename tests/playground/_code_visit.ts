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

/** How many chunks each stage has had, as it is drawn. */
async function countsIn(section: Locator): Promise<Record<string, number>> {
  const boxes = await section.locator("[data-counted]").evaluateAll((elements) =>
    elements.map((element) => {
      const { counted, of } = (element as unknown as { dataset: Record<string, string> }).dataset;
      return [counted!, Number(of)] as const;
    })
  );
  return Object.fromEntries(boxes);
}

/** Programs whose chunks were counted by hand. */
export const countedPrograms: readonly (readonly [code: string, counts: Record<string, number>])[] =
  [
    [
      `import { filter, toArray } from "@hosepipe/streams";
const isOdd = (n) => n % 2 === 1;
console.log(await toArray([1, 2, 3], filter(isOdd)));`,
      { Array: 3, "filter(isOdd)": 3 },
    ],
    [
      `import { flatMap, map, pipeline } from "@hosepipe/streams";
await pipeline([1, 2, 3], flatMap((n) => [n, n]), map((n) => n), map((n) => n), function save() {});`,
      { Array: 3, flatMap: 3, map: 6, "map 2": 6, save: 6 },
    ],
    [
      `import { filter, map } from "@hosepipe/streams";
const numbers = new ReadableStream({
  start(controller) {
    for (let n = 1; n <= 6; n++) controller.enqueue(n);
    controller.close();
  },
});
await numbers.pipeThrough(new TransformStream(filter((n) => n > 2)))
  .pipeThrough(new TransformStream(map((n) => n)))
  .pipeTo(new WritableStream({ write() {} }));`,
      { reader: 6, filter: 6, map: 4, writer: 4 },
    ],
  ];

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

/** Section 9: runs the examples, breaks code, stops an endless loop, and passes code on by its link. */
export async function visitCode(page: Page) {
  const section = page.locator("#code");
  const run = section.locator("[data-do=run]");
  const field = section.getByRole("textbox", { name: "Your code" });
  const example = section.getByLabel("Begin with");

  // It begins with a pipeline.
  await run.click();
  await section.getByText("pulls: nothing is read").waitFor();
  const pulled = await outcomeOf(section, "done");
  const buffers = await section.locator("[data-buffer]").count();
  const drawn = await countsIn(section);

  await example.selectOption("1");
  await run.click();
  const native = await outcomeOf(section, "done");
  const scrubbed = await scrubThrough(section);

  await example.selectOption("2");
  await run.click();
  const failing = await outcomeOf(section, "failed");

  await example.selectOption("3");
  await run.click();
  await section.locator("[data-state=silent]").waitFor();
  const silent = await outcomeOf(section, "silent");
  await section.locator("[data-do=stop]").press("Enter");
  const stopped = await outcomeOf(section, "stopped");

  const recipes = [];
  const names = await example.locator("optgroup").nth(1).locator("option").allInnerTexts();
  for (const name of names) {
    await example.selectOption({ label: name });
    await run.click();
    const { text } = await outcomeOf(section, "done");
    recipes.push({ name, text });
  }

  const outcomes = [];
  for (const [state, code] of programs) {
    await field.fill(code);
    await field.press("Control+Enter");
    outcomes.push(await outcomeOf(section, state));
  }

  const counted = [];
  for (const [code] of countedPrograms) {
    await field.fill(code);
    await field.press("Control+Enter");
    await outcomeOf(section, "done");
    counted.push(await countsIn(section));
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
    ...{
      native,
      scrubbed,
      pulled,
      buffers,
      drawn,
      counted,
      recipes,
      failing,
      silent,
      stopped,
      outcomes,
      indented,
      hasLeft,
    },
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
