// A table for a terminal: rows come in, the first of them the heading; text with aligned columns goes out.

/** The first column is aligned left, all others right. */
export function printTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
  const rule = '-'.repeat(Math.max(...lines.map(({ length }) => length)))
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}
