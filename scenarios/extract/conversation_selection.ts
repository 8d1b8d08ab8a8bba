import { defaultConversationTitles } from "./conversations.ts";
import type { Period } from "./period.ts";
import type { Selection } from "./selection.ts";

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
