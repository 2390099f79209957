// The newest candles as a table, for those who cannot see the chart.
import type { CandleRow } from '../../messages.js';
import { find } from '../dom.js';
import { createTable, figures, texts } from './table.js';
import { moment } from '../views/format.js';
import { decimalsOf } from '../views/market.js';
import type { State } from '../views/state.js';

const maxRows = 30;

type Row = CandleRow & { readonly decimals: number; readonly now: number };

export function chartTable(): (candles: readonly CandleRow[], state: State) => void {
  const table = createTable<Row>({
    label: 'Candles',
    columns: [
      texts('time', ({ at, now }) => moment(at, now), { className: 'pale' }),
      ...(['open', 'high', 'low', 'close'] as const).map((name) =>
        figures<Row>(
          name,
          (row) => row[name],
          ({ decimals }) => decimals,
        ),
      ),
      figures(
        'volume',
        ({ volume }) => volume,
        () => 0,
      ),
    ],
    keyOf: ({ at }) => String(at),
  });
  find('chart-table').append(table.element);
  return (candles, state) => {
    const decimals = decimalsOf(state, state.parts.candles?.market ?? '').price;
    table.draw(
      candles
        .slice(-maxRows)
        .toReversed()
        .map((row) => ({ ...row, decimals, now: state.now })),
    );
  };
}
