/** A stage of any chunks, as tables and laws hold it. */
export type Stage = Transformer<unknown, unknown>;

/** What the differential tests make a random stage of. */
export interface RandomParts {
  /** A random number from 0 to 50, mostly below 5. */
  readonly size: number;
  /** Calls back at once or later, as the description has it; `fail` fails in the call that is to fail. */
  call<O>(chunk: unknown, body: (call: number, fail: () => void) => O): O | Promise<O>;
  /** `size` chunks made of one: an array or a generator, sync or not, which may fail on the way. */
  iterate(chunk: unknown, fail: () => void): Iterable<unknown> | AsyncIterable<unknown>;
  /** Shows a chunk. */
  text(chunk: unknown): string;
}

/** A row of the table of operators: a stage that the package exports, or one by hand, in every form that tests need. */
export interface Operator {
  /** The export's name, and after a comma what is special about this row. */
  readonly name: string;
  /** Makes the stage so that each chunk gives one, under its own function's or option's eye. */
  readonly make: () => Stage;
  /** The n-th chunk that it is given, from 0. Default: n. */
  readonly input: (n: number) => unknown;
  /** The n-th chunk that it gives. Default: n. */
  readonly output: (n: number) => unknown;
  /** Default: true. */
  readonly keepsOrder: boolean;
  /** How many chunks it may hold while what follows it takes none, by its own options. Default: 0. */
  readonly readAhead: number;
  /** Whether it answers with promises, which cost a hundred times what the rest does. Default: false. */
  readonly isAsync: boolean;
  /**
   * Makes it so that its output shows what it keeps from chunk to chunk: an index, a sum, a rest. It is given
   * strings, of which every second ends in a line feed. Two streams of one instance may not mix.
   */
  readonly makeStateful?: () => Stage;
  /** Makes a random one for the differential tests, if it takes a function. */
  readonly makeRandom?: (parts: RandomParts) => Stage;
  /** Makes a random one for the differential tests, if a number is all it takes. */
  readonly makeSized?: (size: number) => Stage;
}
