// Open positions: PnL, liquidation price with its distance, funding.
import type { PositionRow } from '../../messages.js';
import { find, make, setFlag, setText } from '../dom.js';
import type { Page, Part } from './part.js';
import { buttons, type Column, figures, sided, tableOrWords, texts } from './table.js';
import { isStale } from '../views/ages.js';
import { emptyWords } from '../views/empty.js';
import { directionOf, figure, none } from '../views/format.js';
import { decimalsOf } from '../views/market.js';
import type { State } from '../views/state.js';

function signed(label: string, rawOf: (row: PositionRow) => string, unit: string, className = ''): Column<PositionRow> {
  return {
    label,
    className: `number ${className}`,
    patch: (cell, row) => {
      const raw = rawOf(row);
      setText(cell, raw === '' ? none : `${figure(raw)}${unit}`);
      setFlag(cell, 'sign', directionOf(raw));
    },
  };
}

function columns(page: Page): readonly Column<PositionRow>[] {
  return [
    texts('market', ({ market, warning }) => `${market} ${warning.replaceAll('_', ' ')}`.trim()),
    sided(
      'amount',
      ({ market, side, amount }, state) => `${side} ${figure(amount, decimalsOf(state, market).amount)}`,
      { className: 'number second' },
    ),
    figures('value', ({ value }) => value, 2, { className: 'wide card-off' }),
    figures('entry', ({ entry }) => entry, 'price', { className: 'second', before: 'from' }),
    figures('mark', ({ mark }) => mark, 'price', { className: 'card-off' }),
    figures('liquidation', ({ liquidation }) => liquidation, 'price', { className: 'second', before: 'liquidation' }),
    texts('away', ({ away }) => (away === '' ? none : `${figure(away)} %`), { className: 'number card-off' }),
    signed('PnL', ({ pnl }) => pnl, ''),
    signed('of margin', ({ ofMargin }) => ofMargin, ' %', 'wide card-off'),
    figures('funding', ({ funding }) => funding, 2, { className: 'card-off' }),
    figures('margin', ({ margin }) => margin, 2, { className: 'wide card-off' }),
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
      make('span', directionOf(amount), figure(amount)),
      make('small', '', ` ${currency}`),
    ]),
  );
}
