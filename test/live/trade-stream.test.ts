// What pushes, replays and interruptions make of the known trades of a market.
import { expect, it } from 'vitest';
import {
  applyTrades,
  interruptTrades,
  noTrades,
  type KnownTrades,
  type LiveTradeItem,
  type TradeStep,
} from '../../src/live/trade-stream.js';

const market = 'BTC_USDT';

/** When the subscription began. Trades 1 to 999 are from before it. */
const beganAt = 2000;
const trade = (id: number) => ({ id, time: 1000 + id, price: '100', amount: '1', type: 'buy' as const });
const listed = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => trade(from + index));
const batchOf = (trades: readonly (ReturnType<typeof trade> | 'x')[]) => ({
  trades: trades.filter((one) => one !== 'x'),
  unreadable: trades.filter((one) => one === 'x').length,
});

const ids = (from: number, to: number) => listed(from, to).map(({ id }) => id);

type Trades = readonly (ReturnType<typeof trade> | 'x')[];
type Event = 'confirmed' | 'cut' | 'unreadable' | { readonly push: Trades };
/** A push of these trades; a number is that of a usual one. */
const push = (...given: readonly (Trades[number] | number)[]): Event => ({
  push: given.map((one) => (typeof one === 'number' ? trade(one) : one)),
});
const now = (id: number) => ({ ...trade(id), time: 3000 });

function step(known: KnownTrades, event: Event, at: number): TradeStep {
  if (event === 'confirmed') return { known: { ...known, confirmedAt: at } };
  if (event === 'cut') return interruptTrades(known, 'reconnect', at);
  if (event === 'unreadable') return interruptTrades(known, 'unreadable', at);
  return applyTrades(known, batchOf(event.push), at);
}

/** Every event comes 1 s after the one before. */
function after(events: readonly Event[]) {
  let known = noTrades(market, beganAt);
  const items: LiveTradeItem[] = [];
  for (const [index, event] of events.entries()) {
    const next = step(known, event, 3000 + index);
    ({ known } = next);
    items.push(...(next.items ?? []));
  }
  return { known, items };
}

const allOf = (from: number, to: number) => ids(from, to).join(', ');

/** An open gap is not filled. */
const write = (item: LiveTradeItem) =>
  item.kind === 'trade' ? String(item.trade.id) : `${item.reason} ${item.filled ? 'filled' : 'open'}`;

const replayOf = (from: number, to: number) => push(...listed(from, to));
const replay: readonly Event[] = ['confirmed', replayOf(1, 100)];
/** Subscribed, with 101 emitted. */
const known: readonly Event[] = [...replay, push(101)];
/** The same, and then cut. */
const cut: readonly Event[] = [...known, 'cut'];

it.each<[what: string, events: readonly Event[], items: string]>([
  ['no trade of the first replay', replay, ''],
  ['no gap of it', ['confirmed', push(1, 'x', 3)], ''],
  ['the pushes after it, oldest first', [...known, replayOf(102, 103)], '101, 102, 103'],
  ['no trade of a later replay twice', [...known, replayOf(3, 102)], '101, 102'],
  ['the readable trades of a push', [...replay, push(101, 'x', 103)], 'unreadable open, 101, 103'],
  ['a gap for an unreadable push', [...replay, 'unreadable'], 'unreadable open'],
  ['the first trades of a market that had none', ['confirmed', push(now(1)), push(now(2))], '1, 2'],
  ['the first trade after an empty replay', ['confirmed', push(), push(1)], '1'],
  ['no short replay that comes late', ['confirmed', 'unreadable', replayOf(1, 30)], 'unreadable open'],
  [
    'no replay of trades that are newer than this clock',
    ['confirmed', push(...ids(1, 100).map((id) => ({ ...trade(id), time: 3060 }))), push(101)],
    '101',
  ],
  ['no replay before a known trade', ['confirmed', push(now(101)), replayOf(3, 102)], '101, 102'],
  ['the push after a replay before the confirmation', [replayOf(1, 100), 'confirmed', push(101)], '101'],
  ['a gap before a replay without a known trade', [...replay, replayOf(201, 300)], `overflow open, ${allOf(201, 300)}`],
  ['what a replay brings after a loss', [...cut, 'confirmed', replayOf(10, 103)], '101, reconnect filled, 102, 103'],
  ['a gap where a replay is too short', [...cut, replayOf(300, 399)], `101, reconnect open, ${allOf(300, 399)}`],
  [
    'a trade that a replay lists late, once',
    [...known, push(103), replayOf(5, 104), replayOf(5, 104)],
    '101, 103, late open, 104',
  ],
  ['that it is missing as the oldest one, too', [...replay, push(102), replayOf(101, 102)], '102, late open'],
  [
    'that it is missing in an outage that is filled, too',
    [...known, push(103), 'cut', replayOf(6, 105)],
    '101, 103, late open, reconnect filled, 104, 105',
  ],
  ['a gap without a replay', [...cut, push(106), push(107)], '101, reconnect open, 106, 107'],
  [
    'a gap for each connection with trades',
    [...cut, push(110), 'cut', push(120)],
    '101, reconnect open, 110, reconnect open, 120',
  ],
  ['one gap for several losses', [...cut, 'cut', 'cut', replayOf(4, 103)], '101, reconnect filled, 102, 103'],
  [
    'a gap for a replay with an unreadable trade',
    [...cut, push(...listed(5, 102), 'x', 104)],
    '101, reconnect open, 102, 104',
  ],
  [
    'no trade from before the subscription, where no replay came',
    ['confirmed', 'cut', push(...listed(20, 118), now(119)), push(now(120))],
    'reconnect open, 119, 120',
  ],
  [
    'no missed trade after those that followed it, and a gap where a replay lists it',
    [...cut, push(110), replayOf(12, 111)],
    '101, reconnect open, 110, late open, 111',
  ],
  ['no end of a gap by a duplicate', [...cut, push(110), push(101)], '101, reconnect open, 110'],
])('emits %s', (_, events, expected) => {
  expect(after(events).items.map(write).join(', ')).toBe(expected);
});

it.each<[what: string, events: readonly Event[], times: { readonly from: number; readonly to: number }]>([
  ['from the last trade to the first after it', [...cut, push(110)], { from: 1101, to: 1110 }],
  ['up to a replay that does not reach back', [...replay, replayOf(201, 300)], { from: 1100, to: 1201 }],
  ['up to now after an unreadable last trade', [...replay, push(102, 'x')], { from: 1100, to: 3002 }],
  ['up to now with one in an outage, too', [...cut, push(110, 'x', 112)], { from: 1101, to: 3004 }],
  ['the time of a trade listed late', [...known, push(104), replayOf(6, 105)], { from: 1102, to: 1103 }],
])('reports a gap %s', (_, events, times) => {
  expect(after(events).items.find(({ kind }) => kind === 'gap')).toMatchObject(times);
});

it('knows the newest 2,000 numbers', () => {
  const { known } = after([...replay, ...listed(101, 3000).map((one) => push(one))]);
  expect(known.ids).toEqual(ids(1001, 3000));
});
