// The chosen market with its prices, the choice of another, and the other markets beside it.
import type { StripRow } from '../../messages.js';
import { child, find, flash, make, setFigure, setFlag, setText, setTextOf } from '../dom.js';
import type { Page, Part } from './part.js';
import { rowsOf } from '../rows.js';
import { isStale } from '../views/ages.js';
import { directionOf, until } from '../views/format.js';
import { arrowOf, decimalsOf } from '../views/market.js';
import type { State } from '../views/state.js';

export function market(page: Page): Part {
  const choice = find('market-choice') as HTMLSelectElement;
  const within = (id: string, selector: string) => find(id).querySelector<HTMLElement>(selector);
  const value = (id: string) => within(id, 'dd span') ?? within(id, 'dd, b') ?? find(id);
  const note = (id: string) => within(id, 'small, [aria-hidden]') ?? find(id);
  choice.addEventListener('change', () => {
    page.choose({ market: choice.value });
  });
  const drawStrip = rowsOf<StripRow & { readonly decimals: number }>(find('strip'), {
    keyOf: (row) => row.market,
    make: () => make('li', '', make('button'), make('div', '', make('span'), make('span'))),
    patch: (element, { market: name, last, change, isStale: isOld, decimals }) => {
      const [button, values] = [child(element, 0), child(element, 1)];
      const percent = child(values, 1);
      setText(button, name);
      button.onclick = () => {
        page.choose({ market: name });
      };
      setFigure(child(values, 0), last, decimals, true);
      setTextOf(percent, change, withPercent);
      percent.className = isOld ? '' : directionOf(change);
      setFlag(element, 'stale', isOld ? '' : undefined);
    },
  });
  let last = 0;
  let drawnList: unknown;

  const drawFunding = (state: State) => {
    const { market: part } = state.parts;
    find('stat-funding').hidden = part?.futuresState.status === 'none';
    find('stat-mark').hidden = part?.futuresState.status === 'none';
    const isOld = isStale(part?.futuresState, state) ? '' : undefined;
    for (const id of ['stat-funding', 'stat-mark']) setFlag(find(id), 'stale', isOld);
    setTextOf(value('stat-funding'), part?.fundingRate, withPercent);
    const at = part?.fundingAt ?? null;
    setText(note('stat-funding'), at === null ? '' : `in ${until(at - state.now)}`);
  };
  return {
    of: ['market', 'markets', 'about', 'strip'],
    draw(state) {
      const { market: part, markets, about, strip: others } = state.parts;
      const name = part?.name ?? about?.view.market ?? '';
      if (markets !== drawnList || choice.value !== name) {
        drawnList = markets;
        const names = markets?.list.map((rules) => rules.name) ?? [];
        choice.replaceChildren(
          ...[...new Set([name, ...names])].toSorted().map((one) => new Option(one, one, false, one === name)),
        );
      }
      const decimals = decimalsOf(state, name);
      const price = value('last');
      setFigure(price, part?.last, decimals.price, true);
      setText(note('last'), arrowOf(state));
      find('last').className = arrowOf(state) === '' ? '' : (part?.direction ?? '');
      if (part !== undefined && part.last !== null && Number(part.last) !== last) {
        if (last !== 0 && !isStale(part.state, state)) flash(price, part.direction);
        last = Number(part.last);
      }
      setTextOf(value('stat-change'), part?.change, withPercent);
      value('stat-change').className = directionOf(part?.change);
      setFigure(value('stat-high'), part?.high, decimals.price);
      setFigure(value('stat-low'), part?.low, decimals.price);
      setFigure(value('stat-volume'), part?.volume);
      setText(note('stat-volume'), part?.rules?.base ?? '');
      setFigure(value('stat-mark'), part?.mark, decimals.price);
      drawFunding(state);
      drawStrip((others?.list ?? []).map((row) => ({ ...row, decimals: decimalsOf(state, row.market).price })));
    },
    tick: drawFunding,
  };
}

const withPercent = (text: string) => `${text} %`;
