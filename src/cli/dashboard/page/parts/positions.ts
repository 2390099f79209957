// Open positions: PnL, liquidation price with its distance, funding.
import type { PositionRow } from '../../messages.js';
import { find, make, setFlag, setText } from '../dom.js';
import type { Page, Part } from './part.js';
import { type Column, figures, setButton, tableOrWords, texts } from './table.js';
import { isStale } from '../views/ages.js';
import { noPositions } from '../views/empty.js';
import { directionOf, figure, none } from '../views/format.js';
import { decimalsOf } from '../views/market.js';
import type { State } from '../views/state.js';

interface Row extends PositionRow {
  readonly decimals: { readonly price: number; readonly amount: number };
  readonly mayAct: boolean;
}

/** A column of figures with a sign, which have its color. */
function signed(label: string, rawOf: (row: Row) => string, unit: string, className = ''): Column<Row> {
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

function columns(page: Page): readonly Column<Row>[] {
  const price = ({ decimals }: Row) => decimals.price;
  const cents = () => 2;
  return [
    texts('market', ({ market, warning }) => `${market} ${warning.replaceAll('_', ' ')}`.trim()),
    {
      label: 'amount',
      className: 'number second',
      patch: (cell, { side, amount, decimals }) => {
        setText(cell, `${side} ${figure(amount, decimals.amount)}`);
        setFlag(cell, 'side', side);
      },
    },
    figures('value', ({ value }) => value, cents, { className: 'wide card-off' }),
    figures('entry', ({ entry }) => entry, price, { className: 'second', before: 'from' }),
    figures('mark', ({ mark }) => mark, price, { className: 'card-off' }),
    figures('liquidation', ({ liquidation }) => liquidation, price, { className: 'second', before: 'liquidation' }),
    texts('away', ({ away }) => (away === '' ? none : `${figure(away)} %`), { className: 'number card-off' }),
    signed('PnL', ({ pnl }) => pnl, ''),
    signed('of margin', ({ ofMargin }) => ofMargin, ' %', 'wide card-off'),
    figures('funding', ({ funding }) => funding, cents, { className: 'card-off' }),
    figures('margin', ({ margin }) => margin, cents, { className: 'wide card-off' }),
    {
      label: 'act',
      isUnnamed: true,
      className: 'number last act',
      patch: (cell, { market, positionId, mayAct }) => {
        const act = () => {
          page.confirm({ kind: 'close', market, positionId });
        };
        setButton(cell, 'Close…', `Close the position in ${market}…`, mayAct ? act : undefined);
      },
    },
  ];
}

export function positions(page: Page): Part {
  const draw = tableOrWords(find('positions-body'), {
    label: 'Positions',
    columns: columns(page),
    keyOf: ({ positionId }: Row) => String(positionId),
    patchRow: (element, { market, positionId }) => {
      setFlag(element, 'market', market);
      setFlag(element, 'copy', String(positionId));
    },
    hasFocus: true,
  });
  const flatten = find('flatten');
  flatten.addEventListener('click', () => {
    page.confirm({ kind: 'flatten' });
  });
  const drawAll = (state: State) => {
    const { positions: part, about, orders } = state.parts;
    const list = part?.list ?? [];
    const mayAct = about?.tradingAllowed === true;
    draw(
      list.map((row) => ({ ...row, decimals: decimalsOf(state, row.market), mayAct })),
      noPositions(state),
    );
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
