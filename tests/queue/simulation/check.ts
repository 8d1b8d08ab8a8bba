import { type HistoryEvent, type Kind, rowsOf } from "./history.ts";

interface Account {
  readonly kind: Kind;
  readonly key: string | undefined;
  /** Which of its key it is, counted from 0. */
  readonly place: number;
  readonly rows: Set<string>;
  isolations: number;
  end: "acknowledged" | "dead" | undefined;
}

/**
 * What a history breaks of what is promised: each message is stored once as a whole, or dead for a reason; those of
 * one key come to the store and to their ends in order; and no worker works on what it has settled, or after its end.
 * A message that was worked on alone `fatalIsolations` times may be dead for that.
 */
export function check(events: readonly HistoryEvent[], fatalIsolations = Infinity): string[] {
  const problems: string[] = [];
  const accounts = new Map<string, Account>();
  /** How many of a key were sent, and which one was stored or came to its end last. */
  const keys = new Map<string, { sent: number; last: number }>();
  const settled = new Set<string>();
  const gone = new Set<number>();

  const checkOrder = ({ key, place }: Account, id: string) => {
    if (key === undefined) return;
    const state = keys.get(key)!;
    if (place < state.last) problems.push(`${id} comes after a later message of key ${key}`);
    state.last = Math.max(state.last, place);
  };
  for (const { worker, what, id, lease, detail } of events) {
    const account = accounts.get(id)!;
    const own = `${worker} ${lease}`;
    if (what === "sent") {
      const [kind, key] = detail.split(", key ") as [Kind, string | undefined];
      const state = keys.get(key!) ?? { sent: 0, last: -1 };
      keys.set(key!, state);
      accounts.set(id, {
        kind,
        key,
        place: state.sent++,
        rows: new Set(),
        isolations: 0,
        end: undefined,
      });
    } else if (what === "settling") settled.add(own);
    else if (what === "begun" || what === "saving") {
      // What still arrives then may only be given back.
      if (gone.has(worker)) problems.push(`worker ${worker}: ${what} ${id} after its end`);
      if (settled.has(own)) problems.push(`worker ${worker}: ${what} ${id} after it was settled`);
    } else if (what === "row") {
      if (account.rows.has(detail)) problems.push(`${id} is stored twice`);
      account.rows.add(detail);
      // A save that goes on when its lease has ended may keep a part of what is dead by now: no queue prevents that.
      if (account.end !== "dead") checkOrder(account, id);
    } else if (what === "isolated") account.isolations++;
    else if (what === "acknowledged") {
      account.end = what;
      const { kind, rows } = account;
      if (kind === "poison" || kind === "refused") {
        problems.push(`${id} is acknowledged, and can never be stored`);
      } else if (rows.size !== rowsOf[kind]) {
        problems.push(`${id} is acknowledged with ${rows.size} of ${rowsOf[kind]} rows stored`);
      }
      checkOrder(account, id);
    } else if (what === "dead") {
      account.end = what;
      const { kind, isolations } = account;
      const isToDie = kind === "poison" || kind === "refused" || isolations >= fatalIsolations;
      if (!isToDie) problems.push(`${id} is dead: ${detail}`);
      checkOrder(account, id);
    } else if (what === "killed" || what === "ended") gone.add(worker);
  }
  for (const [id, { end }] of accounts) {
    if (end === undefined) problems.push(`${id} is neither acknowledged nor dead`);
  }
  return problems;
}
