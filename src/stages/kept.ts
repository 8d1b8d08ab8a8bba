/** What a call answers of a chunk that goes on as it is: in a box, since a chunk may be a promise. */
export class Kept {
  readonly chunk: unknown;

  constructor(chunk: unknown) {
    this.chunk = chunk;
  }
}
