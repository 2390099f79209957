// Tables: columns as data, units in their heads, rows whose elements are reused, one row in the order of focus at a time.
import type { Action } from '../../messages.js';
import { child, make, setFigure, setFlag, setText, setTextOf } from '../dom.js';
import { rowsOf } from '../rows.js';
import type { Page } from './part.js';
import type { Words } from '../views/empty.js';
import { directionOf } from '../views/format.js';
import { decimalsOf, rulesOf } from '../views/market.js';
import type { State } from '../views/state.js';

export interface Unit<Row> {
  readonly of: (row: Row, state: State) => string;
  /** Whether it follows each figure where the head lacks it: in cards, and where rows have different ones. */
  readonly inCells: boolean;
}

/** The head of a column has the unit that all its rows share. */
export interface Column<Row> {
  readonly label: string;
  readonly isUnnamed?: boolean;
  /** Classes of its cells: `number`, `wide` (left out below 900 px), `joined` (above), `card-off`, `second`, … */
  readonly className?: string;
  /** Words before and after it in a card. */
  readonly before?: string;
  readonly after?: string;
  readonly unit?: Unit<Row>;
  readonly patch: (cell: HTMLElement, row: Row, state: State) => void;
}

type Looks<Row> = Omit<Column<Row>, 'label' | 'patch'>;

export function texts<Row>(
  label: string,
  textOf: (row: Row, state: State) => string,
  looks: Looks<Row> = {},
): Column<Row> {
  const patch = (cell: HTMLElement, row: Row, state: State) => {
    setText(cell, textOf(row, state));
  };
  return { label, ...looks, patch };
}

export function sided<Row extends { readonly side: string }>(...args: Parameters<typeof texts<Row>>): Column<Row> {
  const column = texts(...args);
  const patch = (cell: HTMLElement, row: Row, state: State) => {
    column.patch(cell, row, state);
    setFlag(cell, 'side', row.side);
  };
  return { ...column, patch };
}

export function figures<Row extends { readonly market?: string }>(
  label: string,
  rawOf: (row: Row) => string,
  decimals: 'price' | 'amount' | number = 0,
  looks: Looks<Row> = {},
): Column<Row> {
  const patch = (cell: HTMLElement, row: Row, state: State) => {
    const places = typeof decimals === 'number' ? decimals : decimalsOf(state, row.market ?? '')[decimals];
    setFigure(cell, rawOf(row), places);
  };
  return { label, ...looks, className: `number ${looks.className ?? ''}`, patch };
}

/** Changes, with their signs; `suffix` follows each of them. */
export function changes<Row>(
  label: string,
  rawOf: (row: Row) => string,
  suffix: '' | ' %',
  looks: Looks<Row> = {},
): Column<Row> {
  const patch = (cell: HTMLElement, row: Row) => {
    setTextOf(cell, rawOf(row), (text) => `${text}${suffix}`);
  };
  return { label, ...looks, className: `number ${looks.className ?? ''}`, patch };
}

/** Changes with the hue of their direction. */
export function hued<Row>(...args: Parameters<typeof changes<Row>>): Column<Row> {
  const [, rawOf] = args;
  const column = changes(...args);
  const patch = (cell: HTMLElement, row: Row, state: State) => {
    column.patch(cell, row, state);
    setFlag(cell, 'sign', directionOf(rawOf(row)));
  };
  return { ...column, patch };
}

/** A currency of the market of a row; empty where the rules of the market are not known. */
export function unitOf<Row extends { readonly market: string }>(name: 'quote' | 'base', inCells = false): Unit<Row> {
  return { of: ({ market }, state) => rulesOf(state, market)?.[name] ?? '', inCells };
}

/** A column of buttons that ask for a confirmation, where trading is allowed. A row without an action may have a word. */
export function buttons<Row>(
  page: Page,
  text: string,
  nameOf: (row: Row) => string,
  actionOf: (row: Row) => Action | string,
): Column<Row> {
  const patch = (cell: HTMLElement, row: Row, { parts }: State) => {
    const action = actionOf(row);
    if (typeof action === 'string' || parts.about?.tradingAllowed !== true) {
      const word = typeof action === 'string' ? action : '';
      if (cell.textContent !== word || word === '')
        cell.replaceChildren(...(word === '' ? [] : [make('span', 'doubt-word', word)]));
      return;
    }
    const button = cell.querySelector('button') ?? make('button', '', text);
    if (button.parentElement === null) cell.replaceChildren(button);
    button.ariaLabel = nameOf(row);
    button.onclick = () => {
      page.confirm(action);
    };
  };
  return { label: 'act', isUnnamed: true, className: 'number last act', patch };
}

export interface TableKind<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly patchRow?: (element: HTMLElement, row: Row) => void;
  /** What `c` copies of a focused row. Such rows do not move while one is focused, or pointed at. */
  readonly copyOf?: (row: Row) => string;
}

export function createTable<Row>({ label, columns, keyOf, patchRow, copyOf }: TableKind<Row>) {
  const hasFocus = copyOf !== undefined;
  let state: State;
  let shared: readonly string[] = [];
  const head = make('tr');
  head.setAttribute('role', 'row');
  const heads = columns.map(({ label: name, className, isUnnamed }) => {
    const cell = make('th', className, isUnnamed === true ? make('span', 'hidden', name) : name);
    cell.scope = 'col';
    cell.setAttribute('role', 'columnheader');
    return cell;
  });
  head.append(...heads);
  const shareUnits = (values: readonly Row[]) => {
    shared = columns.map(({ unit }) => {
      const units = new Set(unit === undefined ? [] : values.map((value) => unit.of(value, state)));
      const [only = ''] = units;
      return units.size === 1 ? only : '';
    });
    columns.forEach(({ label: name, unit }, index) => {
      const cell = heads[index];
      if (unit !== undefined && cell !== undefined) setText(cell, `${name} ${shared[index] ?? ''}`.trim());
    });
  };
  const [top, body] = [make('thead', '', head), make('tbody')];
  for (const group of [top, body]) group.setAttribute('role', 'rowgroup');
  const element = make('table', '', top, body);
  element.setAttribute('role', 'table');
  element.setAttribute('aria-label', label);
  const drawRows = rowsOf<Row>(
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
        columns.forEach(({ patch, unit }, index) => {
          const cell = child(row, index);
          patch(cell, value, state);
          if (unit?.inCells !== true) return;
          setFlag(cell, 'unit', unit.of(value, state) || undefined);
          // Below a head with the unit, only a card repeats it.
          setFlag(cell, 'mixed', shared[index] === '' ? '' : undefined);
        });
        setFlag(row, 'copy', copyOf?.(value));
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
    draw(values: readonly Row[], now: State) {
      state = now;
      shareUnits(values);
      drawRows(values);
      const [first] = body.rows;
      if (hasFocus && first !== undefined && ![...body.rows].some(({ tabIndex }) => tabIndex === 0)) first.tabIndex = 0;
    },
  };
}

export function tableOrWords<Row>(place: HTMLElement, kind: TableKind<Row>) {
  const table = createTable(kind);
  const words = make('p', 'note');
  const [head, rest] = [make('b'), document.createTextNode('')];
  words.append(head, rest);
  place.append(table.element, words);
  return (rows: readonly Row[], state: State, [title, text]: Words) => {
    table.element.hidden = rows.length === 0;
    words.hidden = rows.length > 0;
    table.draw(rows, state);
    if (head.textContent !== title) head.textContent = title;
    if (rest.nodeValue !== text) rest.nodeValue = text;
  };
}
