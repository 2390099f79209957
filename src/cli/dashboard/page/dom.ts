// The few ways in which the page changes its document. Every text is set as text: nothing from the exchange is parsed as
// markup. What has not changed is not touched.
import { figure, none, splitZeros } from './views/format.js';

export function find(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no element #${id}`);
  return element;
}

export function child(parent: Element, index: number): HTMLElement {
  const element = parent.children[index];
  if (element instanceof HTMLElement) return element;
  throw new Error(`<${parent.localName}> has no child ${index}`);
}

export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = '',
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...children);
  return element;
}

/** A screen reader announces a text of a live region each time that it is set. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setTexts(parent: Element, texts: readonly string[]): void {
  texts.forEach((text, index) => {
    setText(child(parent, index), text);
  });
}

export function setShare(element: HTMLElement, share: number): void {
  const width = `${(Math.min(1, Math.max(0, share)) * 100).toFixed(1)}%`;
  if (element.style.getPropertyValue('--share') !== width) element.style.setProperty('--share', width);
}

export function setTitle(element: HTMLElement, title: string): void {
  if (element.title !== title) element.title = title;
}

export function setFlag(element: HTMLElement, name: string, value: string | undefined): void {
  if (value === undefined) {
    if (name in element.dataset) Reflect.deleteProperty(element.dataset, name);
  } else if (element.dataset[name] !== value) element.dataset[name] = value;
}

const shown = new WeakMap<HTMLElement, string>();

/** A figure with its decimals; zeros at its end are pale. What is copied is the exchange's own text. */
export function setFigure(element: HTMLElement, raw: string | null | undefined, decimals = 0, isPlain = false): void {
  const text = figure(raw, decimals);
  const key = `${raw ?? ''} ${text}`;
  if (shown.get(element) === key) return;
  shown.set(element, key);
  const [head, zeros] = isPlain ? [text, ''] : splitZeros(text);
  if (zeros === '') element.textContent = head;
  else element.replaceChildren(head, make('i', '', zeros));
  setFlag(element, 'raw', raw === text ? undefined : (raw ?? undefined));
}

/** A text that has a figure, such as `short 3.2000`. What is copied has the exchange's own. */
export function setTextOf(
  element: HTMLElement,
  raw: string | null | undefined,
  textOf: (figure: string) => string,
  decimals = 0,
): void {
  const isNone = raw === null || raw === undefined || raw === '';
  const text = isNone ? none : textOf(figure(raw, decimals));
  setText(element, text);
  setFlag(element, 'raw', isNone || textOf(raw) === text ? undefined : textOf(raw));
}

const flashMs = 250;
const flashEveryMs = 500;
const flashed = new WeakMap<HTMLElement, number>();

export function flash(element: HTMLElement, direction: 'up' | 'down' | 'same'): void {
  const now = performance.now();
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (direction === 'same' || isStill || now - (flashed.get(element) ?? -flashEveryMs) < flashEveryMs) return;
  flashed.set(element, now);
  setFlag(element, 'flash', direction);
  setTimeout(() => {
    setFlag(element, 'flash', undefined);
  }, flashMs);
}

export function copyText(text: string, reply: (words: string) => void): void {
  // Browsers have no clipboard for pages over plain http of other machines.
  const copied = Promise.resolve().then(() => navigator.clipboard.writeText(text));
  copied.then(
    () => {
      reply('copied');
    },
    () => {
      reply('the browser refused to copy');
    },
  );
}

export function copyRaw(event: ClipboardEvent): void {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
  const range = selection.getRangeAt(0);
  const { commonAncestorContainer: common } = range;
  const inside = (common instanceof HTMLElement ? common : common.parentElement)?.closest<HTMLElement>('[data-raw]');
  const copy = range.cloneContents();
  for (const element of copy.querySelectorAll<HTMLElement>('[data-raw]'))
    element.textContent = String(element.dataset['raw']);
  for (const cell of copy.querySelectorAll('td, th, [role=cell]')) cell.append('\t');
  for (const row of copy.querySelectorAll('tr, [role=row]')) row.append('\n');
  const text = inside?.dataset['raw'] ?? copy.textContent;
  event.clipboardData.setData('text/plain', text.replaceAll(/\t*\n/g, '\n').replace(/[\t\n]+$/, ''));
  event.preventDefault();
}
