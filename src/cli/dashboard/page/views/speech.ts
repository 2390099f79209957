// What a screen reader hears: at once what must be decided or believed, and quietly, at most every 10 s, what has happened.
// Ticks never.
import type { PartValues } from '../../messages.js';
import { count, figure } from './format.js';
import { decimalsOf } from './market.js';
import type { State } from './state.js';
import { worstOf, type WorstView } from './worst.js';

export interface Speech {
  readonly assertive: string;
  readonly polite: string;
}

export function speechOf(before: State, after: State): Speech {
  const [was, is] = [worstOf(before).kind, worstOf(after).kind];
  const assertive = [...stateWords(was, is), ...doubtWords(before.parts, after.parts)];
  const polite = [
    ...(was === 'reconnecting' && is !== 'reconnecting' && is !== 'down' ? ['Reconnected.'] : []),
    ...executionWords(before.parts, after.parts),
    ...gapWords(before.parts, after.parts),
  ];
  return { assertive: assertive.join(' '), polite: polite.join(' ') };
}

function stateWords(was: WorstView['kind'], is: WorstView['kind']): readonly string[] {
  if (is === 'down' && was !== 'down') return ['Exchange down.'];
  if (was === 'down' && is !== 'down') return ['Exchange up.'];
  return is === 'reconnecting' && was !== 'reconnecting' ? ['Live connection lost. Figures are stale.'] : [];
}

function doubtWords(before: Partial<PartValues>, after: Partial<PartValues>): readonly string[] {
  const [was, is] = [before.orders?.inDoubt, after.orders?.inDoubt];
  if (was === undefined || is === undefined) return [];
  const words = (rows: typeof is, others: typeof is, word: string) => {
    const known = new Set(others.map(({ clientOrderId }) => clientOrderId));
    return rows.flatMap(({ clientOrderId: id }) => (known.has(id) ? [] : [`Order ${id} ${word}.`]));
  };
  return [...words(is, was, 'in doubt'), ...words(was, is, 'decided')];
}

function executionWords(before: Partial<PartValues>, after: Partial<PartValues>): readonly string[] {
  const [was, is] = [before.executions, after.executions];
  if (typeof was?.state.at !== 'number' || is === undefined || was === is) return [];
  const known = new Set(was.list.map(({ id, orderId }) => `${id} ${orderId}`));
  const fresh = is.list.filter(({ id, orderId }) => !known.has(`${id} ${orderId}`));
  const [first] = fresh;
  if (first === undefined) return [];
  const { side, amount, market, price } = first;
  const more = fresh.length === 1 ? '' : `, and ${fresh.length - 1} more`;
  return [`${side === 'buy' ? 'Bought' : 'Sold'} ${amount} ${market} at ${figure(price)}${more}.`];
}

function gapWords(before: Partial<PartValues>, after: Partial<PartValues>): readonly string[] {
  const last = ({ exchange }: Partial<PartValues>) => exchange?.events.find(({ kind }) => kind === 'gap');
  const [was, is] = [last(before), last(after)];
  return before.exchange === undefined || is === undefined || is.id === was?.id ? [] : [`Gap: ${is.text}.`];
}

/** The page in two breaths: "BTC_USDT 60,012.40, up 1.24 %. 2 positions, plus 172.65. Live." */
export function summary(state: State): string {
  const { market, positions, about } = state.parts;
  const name = market?.name ?? about?.view.market ?? 'No market';
  const last = market?.last ?? null;
  const price = last === null ? 'no price' : figure(last, decimalsOf(state, name).price);
  const change = market?.change ?? '';
  const trend = change === '' ? '' : `, ${spoken(change, 'up', 'down')} %`;
  const list = positions?.list ?? [];
  const sums = (positions?.pnl ?? [])
    .map(({ amount }) => (amount === '' ? '' : `, ${spoken(amount, 'plus', 'minus')}`))
    .join('');
  const held =
    about?.account === true ? ` ${list.length === 0 ? 'No position' : count(list.length, 'position')}${sums}.` : '';
  return `${name} ${price}${trend}.${held} ${worstOf(state).text}.`;
}

function spoken(amount: string, above: string, below: string): string {
  const text = figure(amount.replace(/^[+-]/, ''));
  return amount.startsWith('-') ? `${below} ${text}` : `${above} ${text}`;
}
