import type { SeedOptions } from "./seed/seed_contacts.ts";
import type { Period, Selection } from "./source.ts";

/** The largest value that is taken by default: 64 MiB. */
const defaultMaxValueBytes = 67_108_864;

/** How long a source may give nothing, by default. */
const defaultTimeoutMs = 30_000;

/** The preset: the messages of a period, with these columns. */
export function conversationSelection(
  period: Period,
  titles: readonly string[] = defaultConversationTitles,
): Selection {
  return {
    from: { kind: "conversations" },
    fields: titles.map((title) => ({ path: title, title })),
    time: { field: "sent_at", period, unit: "ms" },
    maxValueBytes: defaultMaxValueBytes,
    timeoutMs: defaultTimeoutMs,
  };
}

/** The generated data that is read where no source is named. */
export const sample: SeedOptions = { contacts: 2_000, days: 30, seed: 1 };

/** The columns of the preset: a message's, its conversation's and its contact's. */
export const conversationTitles = [
  "contact_id",
  "contact_name",
  "channel",
  "conversation_id",
  "sent_at",
  "sender",
  "text",
  "message_id",
] as const;

/** The columns that are exported if no others are asked for. */
export const defaultConversationTitles: readonly string[] = conversationTitles.slice(0, -1);
