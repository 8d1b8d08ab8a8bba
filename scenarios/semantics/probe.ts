/** Lets everything happen that does not wait for something: some turns of the event loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise<void>((resolve) => setTimeout(resolve));
}

/** What was measured: a number, or a few words made of what was counted and seen. */
export type Fact = string | number;

/** Facts by row and by column; a row need not have a fact in every column. */
export type FactTable = Readonly<Record<string, Readonly<Record<string, Fact>>>>;

/** One question to the streams of a runtime. */
export interface SemanticsProbe {
  /** What it is called in the expected tables. */
  readonly name: string;
  readonly question: string;
  /** What rows are called. */
  readonly corner: string;
  /** How the answer is to be read, in a sentence or two. */
  readonly note: string;
  /** Puts the question to the runtime that executes this, and to both of its APIs. */
  measure(): Promise<FactTable>;
}
