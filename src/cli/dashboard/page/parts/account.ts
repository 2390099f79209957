// The account: its value in a currency, the value over time, and every wallet.
import { child, find, make, setFigure, setFlag, setText, setTextOf } from '../dom.js';
import type { Page, Part } from './part.js';
import { sparkline } from './sparkline.js';
import { type Column, createTable, texts } from './table.js';
import { noteOf, sinceWords, type WalletRow, walletRows } from '../views/account.js';
import { clock, directionOf, figure } from '../views/format.js';

type Asset = WalletRow & { readonly kind: 'asset' };

function ofAssets(label: string, className: string, rawOf: (row: Asset) => string): Column<WalletRow> {
  const patch = (cell: HTMLElement, row: WalletRow) => {
    if (row.kind === 'wallet') setText(cell, '');
    else setFigure(cell, rawOf(row));
  };
  return { label, className, patch };
}

const columns: readonly Column<WalletRow>[] = [
  texts('asset', (row) =>
    row.kind === 'wallet' ? withNote(row.name, row.note) : withNote(row.asset, row.isStale ? 'stale' : ''),
  ),
  ofAssets('amount', 'number', ({ amount }) => amount),
  ofAssets('in orders', 'number roomy pale', ({ borrowed, inOrders }) =>
    /[1-9]/.test(borrowed) ? `borrowed ${borrowed}` : inOrders,
  ),
  {
    label: 'value',
    className: 'number',
    patch: (cell, { value }) => {
      setFigure(cell, value, 0, true);
    },
  },
];

function withNote(name: string, note: string): string {
  return note === '' ? name : `${name} (${note})`;
}

export function account(page: Page): Part {
  const choice = find('currency') as HTMLSelectElement;
  choice.addEventListener('change', () => {
    page.choose({ currency: choice.value });
  });
  const [total, change, since] = [child(find('equity'), 0), child(find('equity'), 1), child(find('equity'), 2)];
  const table = createTable<WalletRow>({
    label: 'Balances',
    columns,
    keyOf: (row) => (row.kind === 'wallet' ? row.name : `${row.wallet} ${row.asset}`),
    patchRow: (element, { kind }) => {
      setFlag(element, 'head', kind === 'wallet' ? '' : undefined);
    },
  });
  find('wallets').append(table.element);
  const chart = sparkline(find('equity-chart'), 'equity');
  const note = find('account-note');
  const [head, rest] = [make('b'), make('span')];
  note.append(head, rest);
  let currencies = '';

  return {
    of: ['account', 'about'],
    draw(state) {
      const { account: part, about } = state.parts;
      const choices = about?.currencies ?? [];
      const currency = about?.view.currency ?? part?.currency ?? '';
      if (choices.join() !== currencies) {
        currencies = choices.join();
        choice.replaceChildren(...choices.map((one) => new Option(`in ${one}`, one, false, one === currency)));
      }
      setFigure(total, part?.value, 0, true);
      const changed = part?.change ?? null;
      if (changed === null) setText(change, '');
      else setTextOf(change, changed.amount, (text) => text);
      change.className = directionOf(changed?.amount);
      setText(since, changed === null ? '' : sinceWords(changed.since, state.now));
      const [title, text] = noteOf(state);
      note.hidden = title === '' && text === '';
      setText(head, title);
      setText(rest, text);
      const rows = walletRows(part?.wallets ?? [], state);
      table.element.hidden = rows.every(({ kind }) => kind === 'wallet') && title !== '';
      table.draw(rows, state);
    },
    tick({ parts: { equity, account: part } }) {
      const points = equity?.points ?? [];
      find('equity-chart').hidden = points.length < 2;
      find('equity-chart').ariaLabel =
        `Value over time, ${points.length} points from ${clock(points[0]?.at)} to ${clock(points.at(-1)?.at)}, now ${figure(part?.value)}`;
      chart(points.map(({ at, value }) => ({ at, value: Number(value) })));
    },
  };
}
