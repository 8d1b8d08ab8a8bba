/** What SQLite makes of a column's values, by the rules of its own, in their order. */
export function sqliteAffinity(type: string): "integer" | "text" | "blob" | "real" | "numeric" {
  if (/INT/i.test(type)) return "integer";
  if (/CHAR|CLOB|TEXT/i.test(type)) return "text";
  if (type === "" || /BLOB/i.test(type)) return "blob";
  return /REAL|FLOA|DOUB/i.test(type) ? "real" : "numeric";
}
