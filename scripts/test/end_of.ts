const before = "end of ";

/** The name of the test that stands at the end of a file's tests where several files share a process. */
export function endOf(file: string): string {
  return before + file;
}

/** The name of the test that stands before all others, and ends when all files have been loaded. */
export const loading = "all files are loaded";

/** A regular expression that such names match. */
export const addedPattern = `^(?:${before}.*_test\\.ts|${loading})$`;
