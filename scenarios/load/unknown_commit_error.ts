/** What there is of a load whose server has not said whether it has committed. */
export class UnknownCommitError extends Error {
  override readonly name = "UnknownCommitError";
}
