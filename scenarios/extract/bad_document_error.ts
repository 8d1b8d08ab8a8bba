/** Something in the source has not the shape of a message. */
export class BadDocumentError extends Error {
  override name = "BadDocumentError";
}
