/** What a line says. */
export interface ShopEvent {
  readonly id: number;
  readonly at: string;
  readonly kind: "view" | "cart" | "order";
  readonly customer: string;
  readonly page: { readonly path: string; readonly referrer: string | null };
  readonly items: readonly {
    readonly sku: string;
    readonly count: number;
    readonly cents: number;
  }[];
}

/** What is kept of an order. */
export interface Order {
  readonly id: number;
  readonly at: string;
  readonly customer: string;
  readonly cents: number;
}

/** What is known of customers, by their names. */
export type Customers = ReadonlyMap<string, { readonly region: string; readonly since: number }>;

/** Reads a line. */
export function parseEvent(line: string): ShopEvent {
  return JSON.parse(line);
}

/** Keeps orders. */
export function isOrder({ kind }: ShopEvent): boolean {
  return kind === "order";
}

/** Keeps of an order what is wanted, and adds it up. */
export function projectOrder({ id, at, customer, items }: ShopEvent): Order {
  let cents = 0;
  for (const item of items) cents += item.count * item.cents;
  return { id, at, customer, cents };
}

/** Adds to an order what is known of its customer. */
export function enrichOrder(order: Order, customers: Customers): unknown {
  const known = customers.get(order.customer);
  return { ...order, region: known?.region ?? null, since: known?.since ?? null };
}

/** Writes a line. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value) + "\n";
}
