/** Errors of a connection, as the runtimes name them. */
const codes = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ENOTCONN"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENETDOWN", "ENOTFOUND", "EAI_AGAIN"],
  // PostgreSQL's: it is ended, was ended, is starting, and has too many connections; and those of npm's postgres.
  ...["57P01", "57P02", "57P03", "53300"],
  ...["CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED", "CONNECT_TIMEOUT"],
]);
const names = new Set([
  ...["ConnectionRefused", "ConnectionReset", "ConnectionAborted", "BrokenPipe", "NotConnected"],
]);
const sqliteWords =
  /^(database .*is locked|database or disk is full|disk I\/O error|unable to open database file)$/;
/** SQLite's busy, locked, disk I/O error, full and cannot open. */
const sqliteCodes = new Set([5, 6, 10, 13, 14]);

function saysOutage(reason: unknown): true | undefined {
  let error = reason;
  for (let depth = 0; depth < 4 && typeof error === "object" && error !== null; depth++) {
    const { code, name, errcode, message, cause } = error as Record<string, unknown>;
    if (codes.has(code as string) || names.has(name as string)) return true;
    // Extended codes have the plain one in their lowest byte.
    if (typeof errcode === "number" && sqliteCodes.has(errcode & 0xff)) return true;
    // Deno gives no number with what `exec` throws.
    if (code === "ERR_SQLITE_ERROR" && sqliteWords.test(String(message))) return true;
    error = cause;
  }
  return undefined;
}

/** Whether an error says by itself that something cannot be reached or used just now; `undefined` if it does not. */
export function isKnownOutage(reason: unknown): true | undefined {
  try {
    return saysOutage(reason);
  } catch {
    // What cannot be looked at says nothing.
    return undefined;
  }
}
