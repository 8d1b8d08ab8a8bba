/// <reference lib="dom" />
import type { SiteVisit } from "./_visit_site.ts";

/** Which state a program of the site ended in. */
export interface LinkedRun {
  readonly path: string;
  readonly state: string | null;
  readonly text: string;
}

/** What became of programs, and how many the site has. */
export interface LinkedRuns {
  readonly offered: number;
  readonly runs: readonly LinkedRun[];
}

/** Runs each `each`th program that a page of the site offers to open in the playground. */
export async function runLinkedCode(
  visit: SiteVisit,
  files: ReadonlyMap<string, string>,
  each: number,
): Promise<LinkedRuns> {
  const pages = new Map<string, string>();
  for (const [path, markup] of files) {
    if (!path.endsWith(".html") || path.startsWith("playground/")) continue;
    for (const [, hash] of markup.matchAll(/playground\/index\.html#(code=[\w-]+)"/g)) {
      pages.set(hash!, path);
    }
  }
  const chosen = [...pages].filter((_, index) => index % each === 0);
  // What moves would be drawn all the while.
  const viewer = { width: 390, colorScheme: "light", reducedMotion: "reduce" } as const;
  const page = await visit.newPage(viewer);
  await page.goto(visit.addressOf("playground/index.html"));
  const outcomes = await page.evaluate(runAll, chosen.map(([hash]) => hash));
  await page.context().close();
  const runs = outcomes.map(([state, text], index) => ({ path: chosen[index]![1], state, text }));
  return { offered: pages.size, runs };
}

/**
 * Runs in the page, where a change is heard of and not looked for at every frame: opens links one after the other,
 * and presses Run.
 */
async function runAll(hashes: readonly string[]): Promise<[state: string | null, text: string][]> {
  const section = document.querySelector("#code")!;
  const until = <Found>(find: () => Found | undefined) =>
    new Promise<Found>((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        observer.disconnect();
        resolve(found);
      };
      const observer = new MutationObserver(look);
      observer.observe(section, {
        ...{ subtree: true, childList: true, attributes: true, characterData: true },
      });
      look();
    });
  const outcomes: [string | null, string][] = [];
  for (const hash of hashes) {
    location.hash = hash;
    // A run before has cleared it.
    await until(() =>
      section.querySelector("[data-notice]")!.textContent.includes("came with the link") ||
      undefined
    );
    section.querySelector<HTMLElement>("[data-do=run]")!.click();
    const outcome = await until(() =>
      section.querySelector("[data-state=done][role=status],[data-state=failed][role=status]") ??
        undefined
    );
    outcomes.push([outcome.getAttribute("data-state"), outcome.textContent]);
  }
  return outcomes;
}
