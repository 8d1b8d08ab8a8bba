/** A text of JSON whose spelling there is another than ours. */
export class SpeltText {
  /** The text. */
  readonly text: string;
  /** How it is spelt, with its quotes. */
  readonly json: string;

  constructor(text: string, json: string) {
    this.text = text;
    this.json = json;
  }
}
