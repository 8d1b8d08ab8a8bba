import type { Broker } from "../../scenarios/consume/broker.ts";

/** What can be done with a queue. */
export const actions = ["inspect", "list", "replay", "purge"] as const;
export type Action = (typeof actions)[number];

const shownLength = 60;

/** What an action is asked for. */
export interface ActFlags {
  /** Letters to replay or purge; `undefined` are all. */
  readonly ids: readonly string[] | undefined;
  readonly limit: number | undefined;
  readonly after: string | undefined;
  readonly json: boolean;
}

/** On one line, with nothing that a terminal obeys. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16).padStart(4, "0");
    return character === "\n" ? "\\n" : `\\u${code}`;
  });
}

function shorten(body: unknown): string {
  if (body === null) return "no body";
  if (typeof body !== "string") return `${(body as Uint8Array).length} bytes`;
  return `"${plain(body.slice(0, shownLength))}${body.length > shownLength ? "…" : ""}"`;
}

/** Does it; gives lines for people or programs. */
export async function act(
  queue: Broker["queue"],
  action: Action,
  { ids, limit, after, json }: ActFlags,
): Promise<string[]> {
  if (action === "inspect") {
    const found = { ...await queue.depth(), oldestAgeMs: await queue.oldestAgeMs?.() };
    if (json) return [JSON.stringify(found)];
    return Object.entries(found).filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}: ${Math.round(value!)}`);
  }
  const { dead } = queue;
  if (dead === undefined) throw new Error(`Cannot ${action}: a queue in NATS has no such access`);
  if (action === "list") {
    const letters = await dead.list({ limit, after });
    if (json) return letters.map((letter) => JSON.stringify(letter));
    return letters.map(({ id, diedAt, deliveries, reason, body }) =>
      plain(`${id}  ${diedAt.toISOString()}  ${deliveries} deliveries  ${reason}  `) + shorten(body)
    );
  }
  const count = await dead[action](ids);
  if (json) return [JSON.stringify({ [action]: count })];
  const letters = count === 1 ? "1 dead letter" : `${count} dead letters`;
  return [action === "replay" ? `${letters} put back` : `${letters} deleted`];
}
