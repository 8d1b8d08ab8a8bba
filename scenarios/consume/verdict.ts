import type { StoreSummary } from "./order_store.ts";

/** What is known at the end of a run. */
export interface Evidence {
  readonly sent: number;
  readonly before: StoreSummary & { readonly dead: number };
  readonly after: StoreSummary & {
    readonly dead: number;
    readonly waiting: number;
    readonly leased: number;
  };
  readonly crashes: { readonly lines: number; readonly repeated: number };
  /** Messages besides that can only become dead letters. */
  readonly hostile?: number;
  /** Workers that were killed. */
  readonly kills: number;
  /** What workers complained of that did not end well when asked to. */
  readonly badEnds: readonly string[];
  readonly wasInterrupted: boolean;
  readonly elapsedMs: number;
}

/** What a run came to. */
export interface Verdict {
  readonly sent: number;
  readonly stored: number;
  readonly dead: number;
  /** Still in the queue: of a run that was interrupted. */
  readonly left: number;
  readonly lost: number;
  /** Lines that the store has twice. */
  readonly doubled: number;
  /** Lines that were written again, and absorbed. */
  readonly repeats: number;
  /** Lines that a killed worker had committed and not acknowledged, and how many of them came again. */
  readonly crashes: { readonly lines: number; readonly repeated: number };
  readonly kills: number;
  readonly elapsedMs: number;
  /** What is wrong, a sentence each; empty if all is well. */
  readonly problems: readonly string[];
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Compares what was sent with what is there. */
export function judge(evidence: Evidence): Verdict {
  const { sent, before, after, crashes, kills, badEnds, elapsedMs } = evidence;
  const stored = after.orders - before.orders;
  const dead = after.dead - before.dead - (evidence.hostile ?? 0);
  const left = after.waiting + after.leased;
  const lost = sent - stored - dead - left;
  const problems: string[] = [];
  if (lost > 0) problems.push(`${plural(lost, "message")} lost`);
  if (dead < 0) problems.push(`${plural(-dead, "message")} not dead that cannot be read`);
  if (lost < 0) problems.push(`${plural(-lost, "message")} more than were sent`);
  if (after.wrong > 0) problems.push(`${plural(after.wrong, "line")} not what was sent`);
  // A dead letter may have some of its lines stored, and so may a message that is not done.
  if (after.incomplete - before.incomplete > Math.max(0, dead) + left) {
    problems.push(`${plural(after.incomplete, "order")} with a line too few`);
  }
  if (left > 0 && !evidence.wasInterrupted) {
    problems.push(`${plural(left, "message")} still in the queue`);
  }
  if (crashes.repeated < crashes.lines && left === 0) {
    const missing = crashes.lines - crashes.repeated;
    problems.push(`${plural(missing, "line")} of killed workers never came again`);
  }
  for (const complaint of badEnds) problems.push(`a worker did not end well: ${complaint}`);
  const repeats = after.repeats - before.repeats;
  const { doubled } = after;
  return { sent, stored, dead, left, lost, doubled, repeats, crashes, kills, elapsedMs, problems };
}
