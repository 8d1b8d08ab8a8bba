/** Lays cells out in columns, the first to the left and the others to the right, two spaces apart. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => widths[column] = Math.max(widths[column] ?? 0, cell.length));
  }
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)
      )
      .join("  ")
      .trimEnd()
  );
}
