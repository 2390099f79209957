// Tables: columns as data, rows whose elements are reused, one row in the order of focus at a time.
import { child, make, setFigure, setText } from '../dom.js';
import { Rows } from '../rows.js';

export interface Column<Row> {
  readonly label: string;
  /** Only a screen reader reads the label. */
  readonly isUnnamed?: boolean;
  /** Classes of its cells: `number`, `wide` (left out below 900 px), `joined` (above), `card-off`, `second`, … */
  readonly className?: string;
  /** Words before and after it in a card. */
  readonly before?: string;
  readonly after?: string;
  readonly patch: (cell: HTMLElement, row: Row) => void;
}

type Looks = Omit<Column<unknown>, 'label' | 'patch'>;

/** A column of texts. */
export function texts<Row>(label: string, textOf: (row: Row) => string, looks: Looks = {}): Column<Row> {
  const patch = (cell: HTMLElement, row: Row) => {
    setText(cell, textOf(row));
  };
  return { label, ...looks, patch };
}

/** A column of figures with the decimals of their market. */
export function figures<Row>(
  label: string,
  rawOf: (row: Row) => string,
  decimalsOf: (row: Row) => number,
  looks: Looks = {},
): Column<Row> {
  const patch = (cell: HTMLElement, row: Row) => {
    setFigure(cell, rawOf(row), decimalsOf(row));
  };
  return { label, ...looks, className: `number ${looks.className ?? ''}`, patch };
}

/** The button of a row, which asks for a confirmation; none where the row may not act. */
export function setButton(cell: HTMLElement, text: string, label: string, onclick: (() => void) | undefined): void {
  if (onclick === undefined) {
    cell.replaceChildren();
    return;
  }
  const button = cell.querySelector('button') ?? make('button', '', text);
  if (button.parentElement === null) cell.replaceChildren(button);
  button.ariaLabel = label;
  button.onclick = onclick;
}

export interface TableKind<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly patchRow?: (element: HTMLElement, row: Row) => void;
  /** Rows can be focused, and do not move while one is, or is pointed at. */
  readonly hasFocus?: boolean;
}

export interface Table<Row> {
  readonly element: HTMLTableElement;
  readonly draw: (rows: readonly Row[]) => void;
}

export function createTable<Row>({ label, columns, keyOf, patchRow, hasFocus = false }: TableKind<Row>): Table<Row> {
  const head = make('tr');
  head.setAttribute('role', 'row');
  for (const column of columns) {
    const cell = make(
      'th',
      column.className,
      column.isUnnamed === true ? make('span', 'hidden', column.label) : column.label,
    );
    cell.scope = 'col';
    cell.setAttribute('role', 'columnheader');
    head.append(cell);
  }
  const [top, body] = [make('thead', '', head), make('tbody')];
  for (const group of [top, body]) group.setAttribute('role', 'rowgroup');
  const element = make('table', '', top, body);
  element.setAttribute('role', 'table');
  element.setAttribute('aria-label', label);
  const rows = new Rows<Row>(
    body,
    {
      keyOf,
      make: () => {
        const row = make('tr');
        row.setAttribute('role', 'row');
        if (hasFocus) row.tabIndex = -1;
        for (const { className, before, after } of columns) {
          const cell = make('td', className);
          cell.setAttribute('role', 'cell');
          if (before !== undefined) cell.dataset['before'] = before;
          if (after !== undefined) cell.dataset['after'] = after;
          row.append(cell);
        }
        return row;
      },
      patch: (row, value) => {
        columns.forEach(({ patch }, index) => {
          patch(child(row, index), value);
        });
        patchRow?.(row, value);
      },
    },
    hasFocus,
  );
  if (hasFocus)
    body.addEventListener('focusin', ({ target }) => {
      for (const row of body.rows) row.tabIndex = row === target || row.contains(target as Node) ? 0 : -1;
    });
  return {
    element,
    draw(values) {
      rows.draw(values);
      const [first] = body.rows;
      if (hasFocus && first !== undefined && ![...body.rows].some(({ tabIndex }) => tabIndex === 0)) first.tabIndex = 0;
    },
  };
}

/** A table, or in its place the words of what will appear here. */
export function tableOrWords<Row>(place: HTMLElement, kind: TableKind<Row>) {
  const table = createTable(kind);
  const words = make('p', 'note');
  const [head, rest] = [make('b'), document.createTextNode('')];
  words.append(head, rest);
  place.append(table.element, words);
  return (rows: readonly Row[], [title, text]: readonly [title: string, text: string]) => {
    table.element.hidden = rows.length === 0;
    words.hidden = rows.length > 0;
    table.draw(rows);
    if (head.textContent !== title) head.textContent = title;
    if (rest.nodeValue !== text) rest.nodeValue = text;
  };
}
