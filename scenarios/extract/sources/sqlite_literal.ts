/** A literal of a value, the same in every runtime: a text would be cut at U+0000 by one. */
export function sqliteLiteral(expression: string): string {
  return `CASE typeof(${expression}) WHEN 'integer' THEN CAST(${expression} AS TEXT) ` +
    // Without an affinity, which would be given to what it is compared with.
    `WHEN 'text' THEN '+CAST(x''' || hex(CAST(${expression} AS BLOB)) || ''' AS TEXT)' ` +
    `WHEN 'real' THEN CASE WHEN abs(${expression}) > 1.7976931348623157e308 ` +
    `THEN CASE WHEN ${expression} < 0 THEN '-9e999' ELSE '9e999' END ` +
    `ELSE printf('%!.17g', ${expression}) END ` +
    `ELSE 'x''' || hex(${expression}) || '''' END`;
}
