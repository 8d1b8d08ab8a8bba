/** What becomes of a message: some fail always or twice, or are refused by the store. */
export type Kind = "plain" | "double" | "none" | "poison" | "moody" | "refused";

/** How many rows a message of a kind leaves in the store. */
export const rowsOf: Readonly<Record<Kind, number>> = {
  plain: 1,
  double: 2,
  none: 0,
  poison: 0,
  moody: 1,
  refused: 0,
};

/** Who did what: a worker's number, or 0 for what comes from outside. */
export interface HistoryEvent {
  readonly atMs: number;
  readonly worker: number;
  /**
   * "sent", "killed", "ended" and "fault" say it themselves. The broker: "leased", "isolated", "acknowledged", "dead"
   * are what it did. The worker: "received", "begun" and "settling" (it asks for an end), "saving". The store: "row".
   */
  readonly what:
    | ("sent" | "leased" | "received" | "begun" | "saving" | "row" | "settling")
    | ("isolated" | "acknowledged" | "dead" | "killed" | "ended" | "fault");
  readonly id: string;
  /** Which lease of the message it is about; 0 is none. */
  readonly lease: number;
  readonly detail: string;
}

/** What has happened, in order. */
export class History {
  readonly events: HistoryEvent[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(worker: number, what: HistoryEvent["what"], id = "", detail = "", lease = 0): void {
    this.events.push({ atMs: this.#now(), worker, what, id, detail, lease });
  }

  /** One line for each event. */
  toString(): string {
    return this.events.map(({ atMs, worker, what, id, detail, lease }) => {
      const who = worker === 0 ? "outside" : `worker ${worker}`;
      const of = lease === 0 ? "" : `, lease ${lease}`;
      const head = `${String(Math.round(atMs)).padStart(8)} ms  ${who.padEnd(9)}`;
      return `${head} ${what} ${id} ${detail}`.trimEnd() + of;
    }).join("\n");
  }
}
