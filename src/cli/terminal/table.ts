// The one way to print a list of records: a column for each value that fits the terminal.
import { formatAmount } from './format.js';
import { displayWidth, formatColumns, type SafeText, type TextPart } from './safe-text.js';

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => TextPart | undefined;
  readonly right?: boolean;
  /** On a narrow terminal, the column of the highest rank is left out first. Default 0: it is never left out. */
  readonly rank?: number;
}

/** The records as a table. No amount is truncated: columns are left out until its lines fit into `maxColumns`. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  maxColumns = Number.POSITIVE_INFINITY,
): SafeText {
  const written = formatColumns(
    columns.map(({ head }) => head),
    rows.map((row) => columns.map((column) => shown(column, row))),
    columns.map(({ right = false }) => right),
  );
  const worst = Math.max(...columns.map(({ rank = 0 }) => rank));
  const fits = written.value.split('\n').every((line) => displayWidth(line) <= maxColumns);
  if (fits || worst === 0) return written;
  const left = columns.filter(({ rank = 0 }) => rank < worst);
  return table(rows, left, maxColumns);
}

function shown<Row>({ cell, right = false }: Column<Row>, row: Row): TextPart {
  const value = cell(row) ?? '–';
  return right && typeof value === 'string' ? formatAmount(value) : value;
}
