// The order book as a ladder: asks above the last price, bids below, each with the sum from the best price on.
import { child, find, flash, setFigure, setFlag, setShare, setText, setTexts, setTitle } from '../dom.js';
import type { Part } from './part.js';
import { rowOfCells, rowsOf } from '../rows.js';
import { isStale } from '../views/ages.js';
import { none } from '../views/format.js';
import { add, ladder, type LadderRow, stepsOf } from '../views/ladder.js';
import { arrowOf, decimalsOf } from '../views/market.js';

interface Level extends LadderRow {
  readonly side: 'buy' | 'sell';
  readonly decimals: { readonly price: number; readonly amount: number };
  readonly isLive: boolean;
  readonly isOwnLive: boolean;
}

function spreadOf(asks: readonly LadderRow[], bids: readonly LadderRow[]): string {
  const [ask, bid] = [asks[0]?.price, bids[0]?.price];
  return ask === undefined || bid === undefined ? none : (add(ask, `-${bid}`) ?? none);
}

const cellNames = ['price', 'amount', 'sum'];

function levels(place: HTMLElement) {
  return rowsOf<Level>(place, {
    keyOf: ({ price }) => price,
    make: () => rowOfCells('level', cellNames),
    patch: (element, { price, amount, sum, own, share, side, decimals, isLive, isOwnLive }) => {
      const cell = child(element, 1);
      const before = cell.dataset['amount'];
      setFlag(element, 'side', side);
      setFigure(child(element, 0), price, decimals.price, true);
      setFigure(cell, amount, decimals.amount);
      setText(child(element, 2), sum === '' ? none : sum);
      // An element that had another price before shows another level, and no change of this one.
      if (isLive && before?.startsWith(`${price} `) === true && before !== `${price} ${amount}`)
        flash(cell, Number(amount) > Number(before.slice(price.length)) ? 'up' : 'down');
      setFlag(cell, 'amount', `${price} ${amount}`);
      setFlag(element, 'own', own === '' ? undefined : own);
      setTitle(element, own === '' ? '' : `own orders${isOwnLive ? '' : ' when last seen'}: ${own}`);
      setShare(element, share);
    },
  });
}

export function book(isHeld: () => boolean, redraw: () => void): Part {
  const grouping = find('grouping') as HTMLSelectElement;
  const middle = find('middle');
  const [price, arrow, spread] = [child(middle, 0), child(middle, 1), child(middle, 2)];
  const [asks, bids] = [levels(find('asks')), levels(find('bids'))];
  let steps = '';
  grouping.addEventListener('change', redraw);
  new ResizeObserver(redraw).observe(find('ladder'));

  return {
    of: ['book', 'market', 'orders'],
    draw(state) {
      if (isHeld()) return;
      const { book: part, market, orders } = state.parts;
      const name = part?.market ?? market?.name ?? '';
      const choices = stepsOf(market?.rules?.tick ?? '');
      if (choices.join() !== steps) {
        steps = choices.join();
        grouping.replaceChildren(...choices.map((step) => new Option(step, step)));
      }
      const step = grouping.selectedIndex > 0 ? grouping.value : '';
      const isLive = !isStale(part?.state, state);
      const isOwnLive = !isStale(orders?.state, state);
      setFlag(find('ladder'), 'oldOwn', isOwnLive ? undefined : '');
      const maxRows = rowsIn(find('bids'));
      const decimals = decimalsOf(state, name);
      const rows = ladder(part ?? { asks: [], bids: [] }, step, maxRows);
      const levelsOf = (side: 'buy' | 'sell', list: readonly LadderRow[]) =>
        list.map((row): Level => ({ ...row, side, decimals, isLive, isOwnLive }));
      const [askRows, bidRows] = [levelsOf('sell', rows.asks), levelsOf('buy', rows.bids)];
      asks(askRows);
      bids(bidRows);
      const rules = market?.rules;
      setTexts(find('ladder-head'), [`price ${rules?.quote ?? ''}`, `amount ${rules?.base ?? ''}`, 'sum']);
      setFigure(price, market?.last, decimals.price, true);
      setText(arrow, arrowOf(state));
      middle.className = arrowOf(state) === '' ? '' : (market?.direction ?? '');
      setText(spread, `spread ${spreadOf(askRows, bidRows)}`);
    },
  };
}

export function rowsIn(place: HTMLElement): number {
  const row = Number.parseFloat(getComputedStyle(place).getPropertyValue('--book-row'));
  return row > 0 ? Math.max(1, Math.floor(place.clientHeight / row)) : 1;
}
