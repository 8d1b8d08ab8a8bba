/** A query without the semicolon at its end, for it to stand in another. What follows that may be comments alone. */
export function oneStatement(sql: string): string {
  return sql.trim().replace(/;(?:\s|--[^\n]*(?:\n|$)|\/\*.*?\*\/)*$/s, "");
}
