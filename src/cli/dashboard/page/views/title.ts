// The title and the icon of the tab: what a reader of another tab sees, and never a price that is not true.
import { ageOf } from './ages.js';
import { figure, lasting } from './format.js';
import { arrowOf, decimalsOf } from './market.js';
import type { State } from './state.js';
import { worstOf } from './worst.js';

const [bid, ask, warn, fail, gray] = ['#3fbfd4', '#f5834f', '#ecc440', '#b3201a', '#8a95a3'];

export function titleView(state: State) {
  const { market } = state.parts;
  const name = market?.name ?? state.parts.about?.view.market ?? 'exchange-rx';
  const price = figure(market?.last, decimalsOf(state, name).price);
  const worst = worstOf(state);
  const rest = `${price} ${name}`;
  if (worst.kind === 'down')
    return { title: `DOWN ${lasting(state.now - worst.since)} · ${rest}`, icon: { ground: fail, sign: '!' } };
  if (worst.kind === 'doubt') return { title: `${worst.text} · ${rest}`, icon: { ground: warn, sign: '?' } };
  const age = ageOf(market?.state, state);
  if (age.tone === 'stale') return { title: `${age.text} · ${rest}`, icon: { ground: warn, sign: '~' } };
  if (worst.kind === 'reconnecting')
    return { title: `stale ${lasting(state.now - worst.since)} · ${rest}`, icon: { ground: warn, sign: '~' } };
  const arrow = arrowOf(state);
  const ground = arrow === '↑' ? bid : arrow === '↓' ? ask : gray;
  return {
    title: arrow === '' ? rest : `${price} ${arrow} ${name}`,
    icon: { ground, sign: arrow === '' ? '–' : arrow },
  };
}

export function iconAddress({ ground, sign }: ReturnType<typeof titleView>['icon']): string {
  const ink = ground === fail ? '#fff' : '#11151b';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="${ground === fail ? 0 : 3}" fill="${ground}"/><text x="8" y="12.5" font-family="sans-serif" font-weight="700" font-size="13" text-anchor="middle" fill="${ink}">${sign}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
