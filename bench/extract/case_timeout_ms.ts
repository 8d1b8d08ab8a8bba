/** How long a source may give nothing in a bench: a case has a limit of its own. */
export const caseTimeoutMs = 600_000;
