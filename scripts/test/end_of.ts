const before = "end of ";

/** The name of the test that stands at the end of a file's tests where several files share a process. */
export function endOf(file: string): string {
  return before + file;
}

/** A regular expression that such names match. */
export const endPattern = `^${before}.*_test\\.ts$`;
