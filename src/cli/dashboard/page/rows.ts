// Rows of a list whose elements are reused. Where a reader points at a row, or has focused one, the rows do not move.
import { make } from './dom.js';

export interface RowKind<Row> {
  readonly keyOf: (row: Row) => string;
  readonly make: () => HTMLElement;
  readonly patch: (element: HTMLElement, row: Row) => void;
}

export class Rows<Row> {
  readonly #place: HTMLElement;
  readonly #kind: RowKind<Row>;
  readonly #canHold: boolean;
  #drawn = new Map<string, HTMLElement>();

  constructor(place: HTMLElement, kind: RowKind<Row>, canHold = false) {
    this.#place = place;
    this.#kind = kind;
    this.#canHold = canHold;
  }

  draw(rows: readonly Row[]): void {
    const { keyOf, make, patch } = this.#kind;
    const byKey = new Map(rows.map((row) => [keyOf(row), row]));
    // Held, those drawn before stay where they are, even those that are gone; new ones follow.
    const keys = new Set(this.#isHeld() ? [...this.#drawn.keys(), ...byKey.keys()] : byKey.keys());
    const free = [...this.#drawn].flatMap(([key, element]) => (keys.has(key) ? [] : [element]));
    const next = new Map<string, HTMLElement>();
    let before: Element | null = null;
    for (const key of keys) {
      const element = this.#drawn.get(key) ?? free.pop() ?? make();
      const row = byKey.get(key);
      element.toggleAttribute('data-gone', row === undefined);
      if (row !== undefined) patch(element, row);
      const after: Element | null = before === null ? this.#place.firstElementChild : before.nextElementSibling;
      if (after !== element) this.#place.insertBefore(element, after);
      before = element;
      next.set(key, element);
    }
    for (const element of free) element.remove();
    this.#drawn = next;
  }

  #isHeld(): boolean {
    return this.#canHold && (this.#place.matches(':hover') || this.#place.contains(document.activeElement));
  }
}

export function rowOfCells(className: string, names: readonly string[]): HTMLElement {
  const cells = names.map((name) => make('span', name));
  for (const cell of cells) cell.setAttribute('role', 'cell');
  const row = make('div', className, ...cells);
  row.setAttribute('role', 'row');
  return row;
}
