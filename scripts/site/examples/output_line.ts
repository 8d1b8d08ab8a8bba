/** What an example shows: a line that it prints, or code that its assertions are about with the value of it. */
export type OutputLine = readonly [printed: string] | readonly [code: string, value: string];
