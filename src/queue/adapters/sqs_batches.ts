import { byteLengthOf } from "../../byte_length.ts";
import { describeReason } from "./describe_reason.ts";
import type { SqsAttribute, SqsBatchResult } from "./sqs_client.ts";

/** SQS and SNS take no more at a time, by count and by size. */
export const mostEntries = 10;
export const mostBytes = 262_144;

/** An entry that was not taken. */
type FailedEntry = NonNullable<SqsBatchResult["Failed"]>[number];

/** The size of a message: its text and its attributes share what a queue takes. */
export function sizeOfMessage(
  text: string,
  attributes: Readonly<Record<string, SqsAttribute>> = {},
): number {
  const parts = Object.entries(attributes)
    .flatMap(([name, { DataType = "", StringValue = "" }]) => [name, DataType, StringValue]);
  return [text, ...parts].reduce((sum, part) => sum + byteLengthOf(part)!, 0);
}

/** Whether the service could have taken it: who asks too often is at fault, too. */
const isPassing = ({ Code = "", SenderFault }: FailedEntry) =>
  !SenderFault || /throttl/i.test(Code);

/** A service's errors have names; the words of others may be long, or have lines. */
export function nameReason(reason: unknown): string {
  const { name, code, message } = (reason ?? {}) as Record<string, unknown>;
  const known = [name, code].find((one) => typeof one === "string" && !/^\w*Error$/.test(one));
  if (known !== undefined) return String(known);
  return String(message || describeReason(reason)).split("\n")[0]!.slice(0, 200);
}

/** After so many tries of what the service fails at by itself, it is an outage. */
const mostTries = 3;

/**
 * Sends a batch, and what the service could not take of it alone again; gives what cannot be taken, and throws what the
 * service still fails at.
 */
export async function sendBatch<Entry extends { readonly Id: string }>(
  action: string,
  entries: readonly Entry[],
  send: (entries: Entry[]) => Promise<SqsBatchResult>,
): Promise<FailedEntry[]> {
  const refused: FailedEntry[] = [];
  let rest = [...entries];
  for (let tries = 1; rest.length > 0; tries++) {
    const { Successful, Failed = [] } = await send(rest);
    refused.push(...Failed.filter((one) => !isPassing(one)));
    const idsOf = (some: readonly { readonly Id?: string | undefined }[]) =>
      new Set(some.map(({ Id }) => Id));
    const lost = Failed.filter(isPassing);
    const [done, gone, again] = [idsOf(Successful ?? rest), idsOf(refused), idsOf(lost)];
    // What the answer does not name was not done.
    rest = rest.filter(({ Id }) => again.has(Id) || !(done.has(Id) || gone.has(Id)));
    if (rest.length > 0 && tries === mostTries) {
      const code = lost[0]?.Code ?? "the answer does not name it";
      throw new Error(`Cannot ${action}: ${rest.length} of ${entries.length} failed: ${code}`);
    }
  }
  return refused;
}
