import type { Schedule } from "./schedule.ts";

/**
 * How one run differs from another. `order`: the same events in the same turns, in another order. `moment`: the same
 * events, one of them in another turn. `outcome`: another event.
 */
export type Kind = "order" | "moment" | "outcome";

/** One who sees a run: the writer, the reader, a stage, the source, the sink, or who waits for a pipe. */
export type Party = string;

/** Who sees an event. A promise that is there from the start, and says how an end stands, is a thing of its own. */
export function partyOf(event: string): Party {
  return standing.exec(event)?.[0] ?? event.split(/:| [=!#]/, 1)[0]!;
}

const standing = /^(?:writer: ready|writer: closed|reader: closed)/;

/** The events of a turn of the event loop. */
export type Turn = readonly string[];

export function eventsByTurn(log: readonly string[]): Turn[] {
  const turns: string[][] = [[]];
  for (const event of log) {
    if (event === "|") turns.push([]);
    else turns.at(-1)!.push(event);
  }
  return turns;
}

/** In which turn, from 0, such an event is first; `Infinity` if there is none. */
export function turnWhere(log: readonly string[], isIt: (event: string) => boolean): number {
  const turn = eventsByTurn(log).findIndex((events) => events.some(isIt));
  return turn < 0 ? Infinity : turn;
}

/** The log up to this turn. */
export function eventsBefore(turn: number, log: readonly string[]): string[] {
  return eventsByTurn(log).slice(0, turn).flatMap((events) => [...events, "|"]);
}

/** What each party sees; of turns only their ends, where they are asked for. */
export function viewsOf(log: readonly string[], hasTurns: boolean): Map<Party, string[]> {
  const views = new Map<Party, string[]>();
  for (const [turn, events] of eventsByTurn(log).entries()) {
    for (const event of events) {
      const party = partyOf(event);
      const seen = hasTurns ? `${turn} ${event}` : event;
      const view = views.get(party);
      if (view === undefined) views.set(party, [seen]);
      else view.push(seen);
    }
  }
  return views;
}

/** What may be compared of two runs, the strictest first. */
export type Likeness = "order" | "parties" | "moments" | "events";

function textOf(views: ReadonlyMap<Party, readonly string[]>): string {
  return JSON.stringify([...views].sort(([one], [other]) => one < other ? -1 : 1));
}

function sorted(views: ReadonlyMap<Party, readonly string[]>): Map<Party, string[]> {
  return new Map([...views].map(([party, view]) => [party, view.toSorted()]));
}

/**
 * Whether two runs are alike: in the `order` of all events; in what each of the `parties` sees, in its order and turn;
 * in the `moments`, which are the turns of all events; in the `events` alone, as each party sees them.
 */
export function isAlike(
  one: readonly string[],
  other: readonly string[],
  likeness: Likeness,
): boolean {
  if (one.length === other.length && one.every((event, index) => event === other[index])) {
    return true;
  }
  if (likeness === "order") return false;
  const textBy = (log: readonly string[]) =>
    likeness === "parties"
      ? textOf(viewsOf(log, true))
      : likeness === "moments"
      ? textOf(sorted(viewsOf(log, true)))
      : textOf(viewsOf(log, false));
  return textBy(one) === textBy(other);
}

function strictest({ way, stages }: Pick<Schedule, "way" | "stages">): Likeness {
  return way === "fuse" && stages === 1 ? "order" : "parties";
}

/** All that is compared of a run: two runs of a schedule do not differ if it is the same. */
export function seenIn(schedule: Schedule, log: readonly string[]): string {
  return strictest(schedule) === "order" ? log.join("\n") : textOf(viewsOf(log, true));
}

/**
 * How two runs of a schedule differ; undefined if they do not. Of one stage the order of all events is compared. With
 * several, and in a pipe, an event takes microtasks from one stage to the next, which chains that run as one do not
 * have: there each party's own events are compared, and in which turn they are.
 */
export function kindOf(
  { way, stages }: Schedule,
  theirs: readonly string[],
  ours: readonly string[],
): Kind | undefined {
  if (isAlike(theirs, ours, strictest({ way, stages }))) return undefined;
  if (isAlike(theirs, ours, "moments")) return "order";
  return isAlike(theirs, ours, "events") ? "moment" : "outcome";
}
