// The figures of the tabs at the bottom of a phone.
import { isStale } from './ages.js';
import { figure, latency, none } from './format.js';
import type { State } from './state.js';
import { type LinkView, worstOf } from './worst.js';

export interface TabFigure extends LinkView {
  readonly isStale?: boolean;
}

export function tabFigures(state: State): Readonly<Record<string, TabFigure>> {
  const { market, orders, account, links } = state.parts;
  const worst = worstOf(state);
  const whole = (amount: string | null | undefined) => figure(amount?.replace(/\.\d*$/, ''));
  const open = (orders?.open.length ?? 0) + (orders?.notShown ?? 0);
  const isOld = isStale(orders?.state, state);
  const doubts = orders?.inDoubt.length ?? 0;
  const ms = links?.requests.latencyMs ?? null;
  const isBad = worst.kind === 'down' || worst.kind === 'reconnecting';
  return {
    market: {
      text: Number(market?.last ?? 0) < 1000 ? figure(market?.last) : whole(market?.last),
      isStale: isStale(market?.state, state),
    },
    orders: {
      text:
        doubts > 0
          ? `${doubts} in doubt`
          : (orders?.state.at ?? null) === null
            ? none
            : `${open} ${isOld ? 'were open' : 'open'}`,
      isStale: isOld,
      bad: doubts > 0 ? 'warn' : undefined,
    },
    account: { text: whole(account?.value), isStale: isStale(account?.state, state) },
    exchange: isBad
      ? { text: worst.kind === 'down' ? 'down' : 'lost', bad: worst.kind === 'down' ? 'down' : 'warn' }
      : { text: ms === null ? none : `${latency(ms)} ms` },
  };
}
