/** An order as it comes. */
export interface Order {
  readonly id: number;
  readonly customer: string;
  readonly items: readonly string[];
}

/** A line of an order with what it costs. */
export interface Item {
  readonly order: number;
  readonly customer: string;
  readonly item: string;
  readonly cents: number;
}

/** What the program is given. */
export interface OrdersParts {
  /** Lines of JSON. */
  readonly source: AsyncIterable<string>;
  /** Asks for the price of each item of an order; three orders at a time. */
  readonly price: (order: Order) => Promise<readonly Item[]>;
  /** Stores up to ten items; the next are ready only once it is done. */
  readonly store: (items: readonly Item[]) => Promise<void>;
  /** After so many items it ends. */
  readonly maxItems: number;
}

/** The program; it gives what all stored items cost. */
export type Orders = (parts: OrdersParts) => Promise<number>;

/** What the items of a batch cost. */
export function costOf(items: readonly Item[]): number {
  return items.reduce((sum, { cents }) => sum + cents, 0);
}
