import { isEqual } from "./is_equal.ts";
import { printChunk } from "./print_chunk.ts";

const spare = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Which chunk a letter of a diagram stands for, and which letter a chunk has. */
export class DiagramNames {
  readonly #values: Map<string, unknown>;
  /** Letters for chunks that no letter stands for. */
  readonly #others = new Map<string, unknown>();

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = new Map(Object.entries(values));
  }

  valueOf(letter: string): unknown {
    return this.#values.has(letter) ? this.#values.get(letter) : letter;
  }

  letterOf(value: unknown): string {
    for (const [letter, other] of [...this.#values, ...this.#others]) {
      if (isEqual(value, other)) return letter;
    }
    const isLetter = typeof value === "string" && /^[\p{L}\p{N}]$/u.test(value);
    if (isLetter && !this.#isTaken(value)) return value;
    const letter = [...spare].find((name) => !this.#isTaken(name)) ?? "?";
    this.#others.set(letter, value);
    return letter;
  }

  /** What the letters stand for that the diagram did not have. */
  legend(): string[] {
    return [...this.#others].map(([letter, value]) => `  ${letter} = ${printChunk(value)}`);
  }

  #isTaken(letter: string): boolean {
    return this.#values.has(letter) || this.#others.has(letter);
  }
}
