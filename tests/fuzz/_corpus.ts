import { existsSync, readFileSync } from "node:fs";
import { stageTargets } from "./_stage_targets.ts";
import type { Target } from "./_target.ts";
import { textTargets } from "./_text_targets.ts";

export const targets: readonly Target[] = [...stageTargets, ...textTargets];

/** Where the inputs of a target are kept: one a line, as JSON, each character a byte. */
export function corpusFileOf(target: Target): URL {
  return new URL(`./corpus/${target.name}.jsonl`, import.meta.url);
}

/** The bytes as text with a character each. */
export function toLine(bytes: Uint8Array): string {
  return JSON.stringify(String.fromCharCode(...bytes));
}

function fromLine(line: string): Uint8Array {
  return Uint8Array.from(JSON.parse(line) as string, (character) => character.charCodeAt(0));
}

/** What a target is tried with first: its seeds, and what earlier searches found. */
export function corpusOf(target: Target): Uint8Array[] {
  const seeds = target.seeds.map((seed) => new TextEncoder().encode(seed));
  const file = corpusFileOf(target);
  if (!existsSync(file)) return seeds;
  const lines = readFileSync(file, "utf8").split("\n").filter((line) => line !== "");
  return [...seeds, ...lines.map(fromLine)];
}
