import { readFile } from "node:fs/promises";
import { get, type Place, statusOf, talk } from "./talk.ts";

/** What is attacked. */
export interface Attacked extends Place {
  /** A small file, and a large one. */
  readonly small: string;
  readonly big: string;
  /** Its process, if it is on this machine and of ours. */
  readonly processId?: number | undefined;
  /** Where the large file is, if it may be written to. */
  readonly bigPath?: string | undefined;
}

/** How it ended: withstood, or what was lost; `undefined` if it cannot be tried on this server. */
export type Verdict = { readonly isLost: boolean; readonly why: string } | undefined;

/** One way to make a server useless, or to get what it should not give. */
export interface Attack {
  readonly name: string;
  run(attacked: Attacked): Promise<Verdict>;
}

/** The server has withstood. */
export const held = (why: string): Verdict => ({ isLost: false, why });
/** The attack has succeeded. */
export const lost = (why: string): Verdict => ({ isLost: true, why });

/** Whether others are answered, and how fast. */
export async function isAnswered(
  attacked: Attacked,
  timeoutMs = 5000,
): Promise<number | undefined> {
  const answer = await talk(attacked, get(attacked, attacked.small), timeoutMs);
  return statusOf(answer) === 200 ? Math.round(answer.elapsedMs) : undefined;
}

/** Lost, if others are not answered. */
export async function answeredOrLost(attacked: Attacked, timeoutMs = 5000): Promise<Verdict> {
  const ms = await isAnswered(attacked, timeoutMs);
  return ms === undefined ? lost(`no answer to others in ${timeoutMs} ms`) : held(`${ms} ms`);
}

/** What the server's process holds, if it can be seen. */
export async function rssMiB({ processId }: Attacked): Promise<number | undefined> {
  if (processId === undefined) return undefined;
  const text = await readFile(`/proc/${processId}/status`, "utf8").catch(() => "");
  const kib = /^VmRSS:\s+(\d+)/m.exec(text)?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

/** The most that one client's attack may cost beyond idle. */
export const mostMiB = 64;

/** Lost, if others are not answered, or the process holds so much more than before. */
export async function costs(
  attacked: Attacked,
  before: number | undefined,
  mib: number,
): Promise<Verdict> {
  const ms = await isAnswered(attacked);
  if (ms === undefined) return lost("no answer to others in 5000 ms");
  const after = await rssMiB(attacked);
  if (before === undefined || after === undefined) return held(`${ms} ms`);
  const text = `${Math.max(0, after - before).toFixed(0)} MiB`;
  return after - before > mib ? lost(text) : held(text);
}
