import { readFile } from "node:fs/promises";
import { runsInPlayground } from "../site/playground_link.ts";

const pages = ["recipes", "recipes-jobs", "recipes-network"];

/** Code of the documentation to begin with, by its heading. */
export interface Recipe {
  readonly name: string;
  readonly code: string;
}

/** The first block under each heading of the recipes that runs in the playground as it stands. */
export async function readRecipes(): Promise<Recipe[]> {
  const root = new URL("../../docs/", import.meta.url);
  const texts = await Promise.all(
    pages.map((page) => readFile(new URL(`${page}.md`, root), "utf8")),
  );
  return texts.flatMap((text) =>
    text.split(/^## /m).slice(1).flatMap((section) => {
      const name = section.slice(0, section.indexOf("\n"));
      const blocks = Array.from(section.matchAll(/^```ts\n(.*?)^```$/gms), ([, code]) => code!);
      const code = blocks.find(runsInPlayground);
      return code === undefined ? [] : [{ name, code }];
    })
  );
}
