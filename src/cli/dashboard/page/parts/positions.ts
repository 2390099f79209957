// Open positions: PnL, liquidation price with its distance, funding.
import type { PositionRow } from '../../messages.js';
import { child, find, make, setFigure, setFlag, setText, setTextOf } from '../dom.js';
import type { Page, Part } from './part.js';
import { buttons, changes, type Column, figures, hued, tableOrWords, texts, unitOf } from './table.js';
import { isStale } from '../views/ages.js';
import { emptyWords } from '../views/empty.js';
import { directionOf } from '../views/format.js';
import { decimalsOf } from '../views/market.js';
import type { State } from '../views/state.js';

/** In which currency they are, and are summed. */
const inQuote = unitOf<PositionRow>('quote', true);

function columns(page: Page): readonly Column<PositionRow>[] {
  return [
    texts('market', ({ market, warning }) => `${market} ${warning.replaceAll('_', ' ')}`.trim()),
    {
      label: 'amount',
      className: 'number second',
      patch: (cell, { market, side, amount }, state) => {
        setTextOf(cell, amount, (text) => `${side} ${text}`, decimalsOf(state, market).amount);
        setFlag(cell, 'side', side);
      },
    },
    figures('value', ({ value }) => value, 2, { className: 'wide card-off', unit: inQuote }),
    figures('entry', ({ entry }) => entry, 'price', { className: 'second', before: 'from' }),
    figures('mark', ({ mark }) => mark, 'price', { className: 'card-off' }),
    figures('liquidation', ({ liquidation }) => liquidation, 'price', { className: 'second', before: 'liquidation' }),
    changes('away', ({ away }) => away, ' %', { className: 'card-off' }),
    hued('PnL', ({ pnl }) => pnl, '', { unit: inQuote }),
    hued('of margin', ({ ofMargin }) => ofMargin, ' %', { className: 'wide card-off' }),
    figures('funding', ({ funding }) => funding, 2, { className: 'card-off' }),
    {
      label: 'margin',
      className: 'number wide card-off',
      patch: (cell, { margin, leverage }) => {
        if (cell.firstChild === null) cell.append(make('span'), make('i'));
        setFigure(child(cell, 0), margin, 2);
        setText(child(cell, 1), leverage === '' ? '' : ` ${leverage}×`);
      },
    },
    buttons(
      page,
      'Close…',
      ({ market }) => `Close the position in ${market}…`,
      ({ market, positionId }) => ({ kind: 'close', market, positionId }),
    ),
  ];
}

export function positions(page: Page): Part {
  const draw = tableOrWords(find('positions-body'), {
    label: 'Positions',
    columns: columns(page),
    keyOf: ({ positionId }) => String(positionId),
    patchRow: (element, { market }) => {
      setFlag(element, 'market', market);
    },
    copyOf: ({ positionId }) => String(positionId),
  });
  const flatten = find('flatten');
  flatten.addEventListener('click', () => {
    page.confirm({ kind: 'flatten' });
  });
  const drawAll = (state: State) => {
    const { positions: part, about, orders } = state.parts;
    const list = part?.list ?? [];
    const mayAct = about?.tradingAllowed === true;
    draw(list, state, emptyWords(state, 'positions'));
    setText(find('positions-title'), isStale(part?.state, state) ? 'Positions when last seen' : 'Positions');
    setText(find('positions-count'), typeof part?.state.at !== 'number' ? '' : String(list.length + part.notShown));
    drawPnl(part?.pnl ?? []);
    flatten.hidden = !mayAct || list.length + (orders?.open.length ?? 0) === 0;
  };
  return { of: ['positions', 'orders', 'markets', 'about'], draw: drawAll, tick: drawAll };
}

function drawPnl(sums: readonly { readonly currency: string; readonly amount: string }[]): void {
  const place = find('pnl');
  const key = sums.map(({ currency, amount }) => `${amount} ${currency}`).join();
  if (place.dataset['key'] === key) return;
  place.dataset['key'] = key;
  place.replaceChildren(
    ...sums.flatMap(({ currency, amount }, index) => [
      make('small', '', index === 0 ? 'PnL ' : ', '),
      sumOf(amount),
      make('small', '', ` ${currency}`),
    ]),
  );
}

function sumOf(amount: string): HTMLElement {
  const sum = make('span', directionOf(amount));
  setTextOf(sum, amount, (text) => text);
  return sum;
}
