// Rows of a list whose elements are reused.
import { make } from './dom.js';

export interface RowKind<Row> {
  readonly keyOf: (row: Row) => string;
  readonly make: () => HTMLElement;
  readonly patch: (element: HTMLElement, row: Row) => void;
}

/** Draws a list into `place`. With `canHold`, its rows do not move while one is pointed at or focused. */
export function rowsOf<Row>(place: HTMLElement, kind: RowKind<Row>, canHold = false): (rows: readonly Row[]) => void {
  const { keyOf, make, patch } = kind;
  let drawn = new Map<string, HTMLElement>();
  const isHeld = () => canHold && (place.matches(':hover') || place.contains(document.activeElement));
  return (rows) => {
    const byKey = new Map(rows.map((row) => [keyOf(row), row]));
    // Held, those drawn before stay where they are, even those that are gone; new ones follow.
    const keys = new Set(isHeld() ? [...drawn.keys(), ...byKey.keys()] : byKey.keys());
    const free = [...drawn].flatMap(([key, element]) => (keys.has(key) ? [] : [element]));
    const next = new Map<string, HTMLElement>();
    let before: Element | null = null;
    for (const key of keys) {
      const element = drawn.get(key) ?? free.pop() ?? make();
      const row = byKey.get(key);
      element.toggleAttribute('data-gone', row === undefined);
      if (row !== undefined) patch(element, row);
      const after: Element | null = before === null ? place.firstElementChild : before.nextElementSibling;
      if (after !== element) place.insertBefore(element, after);
      before = element;
      next.set(key, element);
    }
    for (const element of free) element.remove();
    drawn = next;
  };
}

export function rowOfCells(className: string, names: readonly string[]): HTMLElement {
  const cells = names.map((name) => make('span', name));
  for (const cell of cells) cell.setAttribute('role', 'cell');
  const row = make('div', className, ...cells);
  row.setAttribute('role', 'row');
  return row;
}
