import { conversationSelection } from "../../scenarios/extract/conversation_selection.ts";
import type { Period } from "../../scenarios/extract/period.ts";
import type { Selection } from "../../scenarios/extract/selection.ts";

/** What a case reads. Its source may give nothing for long: a case has a limit of its own. */
export function caseSelection(period: Period): Selection {
  return { ...conversationSelection(period), timeoutMs: 600_000 };
}
