// The newest trades as rows, with one wherever some may be missing.
import type { TradeRow } from '../../messages.js';
import { ageOf } from './ages.js';
import { clock, lasting } from './format.js';
import { decimalsOf } from './market.js';
import type { State } from './state.js';

export type TapeRow =
  | (TradeRow & { readonly kind: 'trade'; readonly decimals: { readonly price: number; readonly amount: number } })
  | { readonly kind: 'words'; readonly key: string; readonly text: string; readonly isWarning: boolean };

export function tapeRows(state: State, maxRows: number): readonly TapeRow[] {
  const { trades } = state.parts;
  if (trades === undefined) return [];
  const decimals = decimalsOf(state, trades.market);
  const rows = trades.list.map((row): TapeRow => {
    if (row.kind === 'trade') return { ...row, decimals };
    return { kind: 'words', key: `gap ${row.from}`, text: gapText(row), isWarning: row.filledIn === null };
  });
  const { tone } = ageOf(trades.state, state);
  if (tone !== 'stale' || trades.state.status === 'refused') return rows.slice(0, maxRows);
  const { link } = state;
  const since = trades.state.status === 'stale' ? trades.state.since : link.since;
  const now: TapeRow = { kind: 'words', key: 'now', text: `no trades seen since ${clock(since)}`, isWarning: true };
  return [now, ...rows].slice(0, maxRows);
}

function gapText({ from, to, filledIn }: TradeRow & { readonly kind: 'gap' }): string {
  const length = to - from < 10_000 ? `${(Math.max(0, to - from) / 1000).toFixed(1)} s` : lasting(to - from);
  if (filledIn === null) return `gap ${length}, trades may be missing`;
  return `gap ${length}, ${filledIn} ${filledIn === 1 ? 'trade' : 'trades'} filled in`;
}
