/** A case that is not to be run on this machine; the message is its row, and no failure. */
export class CaseRefusal extends Error {
  override name = "CaseRefusal";
}
