// The newest candles as a table, for those who cannot see the chart.
import type { CandleRow } from '../../messages.js';
import { find } from '../dom.js';
import { createTable, figures, texts } from './table.js';
import { moment } from '../views/format.js';
import type { State } from '../views/state.js';

const maxRows = 30;

type Row = CandleRow & { readonly market: string };

export function chartTable(): (candles: readonly CandleRow[], state: State) => void {
  const prices = ['open', 'high', 'low', 'close'] as const;
  const table = createTable<Row>({
    label: 'Candles',
    columns: [
      texts('time', ({ at }, { now }) => moment(at, now), { className: 'pale' }),
      ...prices.map((name) => figures<Row>(name, (row) => row[name], 'price')),
      figures('volume', ({ volume }) => volume),
    ],
    keyOf: ({ at }) => String(at),
  });
  find('chart-table').append(table.element);
  return (candles, state) => {
    const { market = '' } = state.parts.candles ?? {};
    const newest = candles.slice(-maxRows).toReversed();
    table.draw(
      newest.map((row) => ({ ...row, market })),
      state,
    );
  };
}
