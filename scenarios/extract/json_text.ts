/** JSON as the source has it: a number with all its digits, an array or an object. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
