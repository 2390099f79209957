// The keyboard: single keys, which can be switched off, and the list of them.
import { find, make, copyText } from './dom.js';
import { keep, kept } from './theme.js';

/** What the page does at a key. */
export type KeyActions = Readonly<Record<'[' | ']' | 't' | 's' | ' ', () => void>>;

const panelIds = ['candles', 'book', 'trades', 'positions', 'orders', 'account'];

const list: readonly (readonly [keys: string, meaning: string])[] = [
  ['m', 'choose the market'],
  ['1 – 6', 'candles, book, trades, positions, orders, account'],
  ['[ ]', 'shorter, longer interval'],
  ['↑ ↓', 'rows'],
  ['c', 'copy the id of the focused row'],
  ['x', 'cancel the focused order, close the focused position'],
  ['t', 'candles as a table'],
  ['s', 'speak a summary'],
  ['space', 'hold book and trades'],
  ['?', 'this list'],
];

/** @param reply says something to a screen reader */
export function keyboard(actions: KeyActions, reply: (text: string) => void): void {
  const help = find('help') as HTMLDialogElement;
  const single = find('single-keys') as HTMLInputElement;
  find('keys').append(...list.map(([keys, meaning]) => make('div', '', make('dt', '', keys), make('dd', '', meaning))));
  single.checked = kept('single keys') !== 'off';
  single.addEventListener('change', () => {
    keep('single keys', single.checked ? 'on' : 'off');
  });
  const openHelp = () => {
    if (!help.open) help.showModal();
  };
  for (const button of document.querySelectorAll('.help')) button.addEventListener('click', openHelp);
  find('help-close').addEventListener('click', () => {
    help.close();
  });

  const keys: Readonly<Record<string, (row: HTMLElement | null) => void>> = {
    m() {
      find('market-choice').focus();
    },
    c(row) {
      if (row?.dataset['copy'] !== undefined) copyText(row.dataset['copy'], reply);
    },
    x(row) {
      row?.querySelector('button')?.click();
    },
    '?': openHelp,
    ...actions,
  };
  /** Whether the key does something here; the browser has the others. */
  const run = (key: string, target: Element): boolean => {
    const row = target.closest<HTMLElement>('tr[tabindex]');
    if (key === 'ArrowDown' || key === 'ArrowUp') return moveRow(row, key === 'ArrowDown');
    // A button that is focused is pressed by a space.
    if (!single.checked || (key === ' ' && target.closest('button, select, [tabindex="0"]') !== null)) return false;
    const panel = panelIds[Number(key) - 1];
    if (panel !== undefined) focusPanel(panel);
    else keys[key]?.(row);
    return panel !== undefined || key in keys;
  };
  document.addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return;
    if (target.closest('select, input, dialog') !== null) return;
    if (run(key, target)) event.preventDefault();
  });
}

function focusPanel(id: string): void {
  const panel = find(id);
  const tab = panel.dataset['of'];
  if (tab !== undefined) showTab(tab);
  panel.focus();
}

export function showTab(name: string): void {
  document.body.dataset['tab'] = name;
  for (const button of find('tabs').querySelectorAll<HTMLElement>('button'))
    if (button.dataset['tab'] === name) button.setAttribute('aria-current', 'true');
    else button.removeAttribute('aria-current');
}

function moveRow(row: HTMLElement | null, isDown: boolean): boolean {
  const next = isDown ? row?.nextElementSibling : row?.previousElementSibling;
  if (!(next instanceof HTMLElement)) return false;
  next.focus();
  return true;
}
