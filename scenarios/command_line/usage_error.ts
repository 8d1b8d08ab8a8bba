/** The command line was wrong: its message goes to stderr alone, and the process exits 2. */
export class UsageError extends Error {
  override name = "UsageError";
}
