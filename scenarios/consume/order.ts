/** A line of an order, as it is stored. */
export interface OrderLine {
  readonly order: number;
  readonly line: number;
  /** How many lines the order has. */
  readonly lines: number;
  readonly amount: number;
}

/** The lines that order number `order` has: 1 to 3, their amounts by a fixed rule. */
export function linesOf(order: number): OrderLine[] {
  const lines = 1 + order % 3;
  return Array.from({ length: lines }, (_, line) => ({
    order,
    line,
    lines,
    amount: 1 + (order * 31 + line * 7) % 1_000,
  }));
}

/** An order as a message: a line of text for each of its lines, and `padding` bytes besides. */
export function toMessage(order: number, padding = 0): string {
  const text = linesOf(order).map(({ line, lines, amount }) =>
    `${order} ${line} ${lines} ${amount}`
  )
    .join("\n");
  return padding === 0 ? text : `${text} ${"x".repeat(padding)}`;
}

/** Reads one line of a message; throws if it is none. */
export function toOrderLine(text: string): OrderLine {
  const match = /^(\d+) (\d+) (\d+) (\d+)(?: x*)?$/.exec(text);
  if (match === null) {
    throw new Error(`Not a line of an order: ${JSON.stringify(text.slice(0, 50))}`);
  }
  const [order, line, lines, amount] = match.slice(1).map(Number);
  return { order: order!, line: line!, lines: lines!, amount: amount! };
}
