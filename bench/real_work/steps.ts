/** What is in a document. */
export interface OrderDocument {
  readonly id: number;
  readonly lines: readonly { readonly name: string; readonly cents: number }[];
}

/** Parses a document. */
export function parse(text: string): OrderDocument {
  return JSON.parse(text);
}

/** Adds up what a document asks for. */
export function total({ lines }: OrderDocument): number {
  let cents = 0;
  for (const line of lines) cents += line.cents;
  return cents;
}
