// The age of every panel, and its staleness: one rule for all of them.
import type { Freshness, PartValues } from '../../messages.js';
import { child, find, setFlag, setText, setTitle } from '../dom.js';
import type { Part } from './part.js';
import { ageOf, isStale } from '../views/ages.js';
import type { State } from '../views/state.js';

const stateOf: Readonly<Record<string, (parts: Partial<PartValues>) => Freshness | undefined>> = {
  candles: ({ candles }) => candles?.state,
  book: ({ book }) => book?.state,
  trades: ({ trades }) => trades?.state,
  positions: ({ positions }) => positions?.state,
  executions: ({ executions }) => executions?.state,
  account: ({ account }) => account?.state,
  exchange: ({ links }) =>
    links && { ...links.requests, status: 'live', paceMs: links.requests.at === null ? null : 1000 },
};

function ordersState({ orders, executions }: Partial<PartValues>): Freshness | undefined {
  const tab = find('work').dataset['tab'];
  if (tab === 'executions') return executions?.state;
  return tab === 'ended' ? orders?.endedState : orders?.state;
}

export function panels(): Part {
  const places = [...Object.entries(stateOf), ['orders', ordersState] as const].map(([id, freshness]) => {
    const place = find(id);
    const head = child(place, 0);
    return { place, age: child(head, head.childElementCount - 1), freshness };
  });
  let statuses = '';
  const tick = (state: State) => {
    for (const { place, age, freshness } of places) {
      const { text, tone, reason } = ageOf(freshness(state.parts), state);
      setText(age, text);
      setFlag(age, 'tone', tone);
      setTitle(age, reason);
      setFlag(place, 'stale', tone === 'stale' ? '' : undefined);
    }
    setFlag(find('market'), 'stale', isStale(state.parts.market?.state, state) ? '' : undefined);
  };
  return {
    of: ['market', 'candles', 'book', 'trades', 'executions', 'orders', 'positions', 'account'],
    draw(state) {
      // Staleness shows at once, and not with the next second.
      const { parts, link } = state;
      const shown = [parts.market?.state, ...places.map(({ freshness }) => freshness(parts))];
      const next = [find('work').dataset['tab'], link.status, ...shown.map((one) => one?.status)].join();
      if (next !== statuses) tick(state);
      statuses = next;
    },
    tick,
  };
}
