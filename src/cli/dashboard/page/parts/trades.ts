// The newest trades, with a row wherever some may be missing.
import { child, find, setFigure, setFlag, setText, setTexts } from '../dom.js';
import { rowsIn } from './book.js';
import type { Part } from './part.js';
import { rowOfCells, rowsOf } from '../rows.js';
import { clock } from '../views/format.js';
import { rulesOf } from '../views/market.js';
import type { State } from '../views/state.js';
import { type TapeRow, tapeRows } from '../views/tape.js';

export function trades(isHeld: () => boolean, redraw: () => void): Part {
  const place = find('tape');
  const drawTape = rowsOf<TapeRow>(place, {
    keyOf: (row) => (row.kind === 'trade' ? String(row.id) : row.key),
    make: () => rowOfCells('trade', ['time', 'price', 'amount']),
    patch: (element, row) => {
      const [time, price, amount] = [child(element, 0), child(element, 1), child(element, 2)];
      setFlag(element, 'gap', row.kind === 'trade' ? undefined : row.isWarning ? 'warn' : '');
      if (row.kind === 'words') {
        setText(time, row.text);
        setFlag(element, 'own', undefined);
        return;
      }
      setText(time, clock(row.at));
      const arrow = row.side === 'unknown' ? '' : row.side === 'buy' ? ' ↑' : ' ↓';
      setFigure(price, row.price, row.decimals.price, true);
      setFlag(price, 'arrow', arrow === '' ? undefined : arrow);
      setFlag(price, 'side', row.side);
      setFigure(amount, row.amount, row.decimals.amount);
      setFlag(element, 'own', row.isOwn ? '' : undefined);
    },
  });
  new ResizeObserver(redraw).observe(place);
  const draw = (state: State) => {
    if (isHeld()) return;
    drawTape(tapeRows(state, rowsIn(place)));
    const rules = rulesOf(state, state.parts.trades?.market ?? '');
    setTexts(find('trades-head'), ['time', `price ${rules?.quote ?? ''}`, `amount ${rules?.base ?? ''}`]);
  };
  return { of: ['trades', 'market'], draw, tick: draw };
}
