// Resting orders of a recorded market, event by event: their place, and what fills them.
import { describe, expect, it } from 'vitest';
import { decimal } from '../../../src/model/decimal.js';
import { noLiquidity, type Changes } from '../../../src/sandbox/engine/liquidity.js';
import { after, createQueue, type MarketEvent, type QueueModel } from '../../../src/sandbox/engine/queue.js';
import { levels } from '../../support/recording.js';

type Rows = readonly (readonly [price: number | string, amount: number | string])[];

const changes = (rows: Rows): Changes => rows.map(([price, amount]) => [String(price), String(amount)]);
const frame = (at: number, buy: Rows, sell: Rows = [], isSnapshot = false): MarketEvent => {
  return { kind: 'frame', at, isSnapshot, buy: changes(buy), sell: changes(sell) };
};
const snapshot = (at: number, buy: Rows, sell: Rows = [[105, 5]]) => frame(at, buy, sell, true);
const enter = (id: number, price: number, left: number, enteredAt = 1050): MarketEvent => {
  return { kind: 'enter', order: { id, side: 'buy', price: decimal(price), left: decimal(left), enteredAt } };
};
const trade = (id: number, at: number, price: number, amount: number, rpi = false): MarketEvent => {
  return { kind: 'trade', id, at, side: 'sell', price: decimal(price), amount: decimal(amount), rpi };
};
const reduce = (id: number, left: number): MarketEvent => ({ kind: 'reduce', id, left: decimal(left) });
const take = (price: number, amount: number): MarketEvent => {
  return { kind: 'take', side: 'sell', price: decimal(price), amount: decimal(amount) };
};
const gap: MarketEvent = { kind: 'gap' };

/** The fills of these events, as `id: amount`, and the queue after them. */
function play(events: readonly MarketEvent[], model: QueueModel = 'pessimistic') {
  let queue = createQueue({ model, step: decimal(1), shown: noLiquidity(3) });
  const fills: string[] = [];
  for (const event of events) {
    const [next, filled] = after(queue, event);
    queue = next;
    fills.push(...filled.map(({ id, amount }) => `${id}: ${amount.toFixed()}`));
  }
  return { queue, fills };
}

/** Ours enters behind 10 at 100, which the frame at 1100 confirms. */
const behindTen = [snapshot(1000, [[100, 10]]), enter(1, 100, 5), frame(1100, [[99, 1]])];
/** The level at 100 shows less, is gone, or is now one of asks. */
const less = frame(1200, [[100, 4]]);
const gone = frame(1200, [[100, 0]]);
const crossed = frame(1200, [[100, 0]], [[100, 3]]);

describe('a resting order', () => {
  it.each<[rule: string, events: readonly MarketEvent[], fills: readonly string[]]>([
    ['is filled by what trades beyond the amount ahead', [trade(1, 1150, 100, 8), trade(2, 1160, 100, 4)], ['1: 2']],
    ['is filled by a trade through its price', [trade(1, 1150, 99, 3)], ['1: 3']],
    ['is not filled by a trade before it entered', [trade(1, 1040, 99, 3)], []],
    ['is not filled twice by one trade', [trade(1, 1150, 99, 3), trade(1, 1150, 99, 3)], ['1: 3']],
    ['is not filled by a trade with a hidden order', [trade(1, 1150, 100, 20, true)], []],
    ['is first when its level is gone', [gone, trade(1, 1250, 100, 2)], ['1: 2']],
    ['moves up no further than the level shows', [less, trade(1, 1250, 100, 5)], ['1: 1']],
    ['does not get a trade that its frame preceded', [gone, trade(1, 1150, 100, 10)], []],
    ['gets the excess of a late trade', [gone, trade(1, 1150, 100, 12)], ['1: 2']],
    ['has late trades ahead of it counted once', [less, trade(1, 1150, 100, 6), trade(2, 1250, 100, 5)], ['1: 1']],
    ['is filled by an offer that is shown at its price', [crossed], ['1: 3']],
    ['is not filled by an offer below a bid: the book is wrong', [frame(1200, [], [[99, 3]])], []],
    ['takes an offer once', [crossed, frame(1300, [], [[100, 4]])], ['1: 3', '1: 1']],
    ['takes an offer once across a snapshot', [crossed, snapshot(1300, [], [[100, 3]])], ['1: 3']],
    ['that was canceled is not filled', [reduce(1, 0), trade(1, 1150, 99, 3)], []],
    ['that was filled elsewhere gets the rest', [reduce(1, 2), trade(1, 1150, 99, 3)], ['1: 2']],
    ['is not filled in a gap', [gap, trade(1, 1150, 99, 3), frame(1200, [], [[99, 3]])], []],
    ['is not filled by a trade in a gap', [gap, snapshot(1200, [[100, 9]]), trade(1, 1150, 99, 3)], []],
    ['keeps its place over a gap', [gap, snapshot(1200, [[100, 4]]), trade(1, 1250, 100, 5)], ['1: 1']],
    ['is filled by an offer after a gap', [gap, snapshot(1200, [], [[100, 2]])], ['1: 2']],
    [
      'keeps its place while its level is beyond the shown ones',
      [frame(1200, levels('103 1, 102 1, 101 1, 100 0')), trade(1, 1250, 100, 11)],
      ['1: 1'],
    ],
  ])('%s', (_rule, events, fills) => {
    expect(play([...behindTen, ...events]).fills).toEqual(fills);
  });

  it('beyond the shown levels has no place until they reach its price', () => {
    const beyond = [snapshot(1000, levels('103 1, 102 1, 101 1')), enter(1, 100, 5), frame(1100, [[103, 2]])];
    expect(play([...beyond, trade(1, 1150, 100, 50)]).fills).toEqual([]);
    expect(play([...[...beyond, frame(1200, levels('103 0, 100 2'))], trade(1, 1250, 100, 3)]).fills).toEqual(['1: 1']);
  });

  it.each<[model: QueueModel, fills: readonly string[]]>([
    ['pessimistic', []],
    ['proportional', ['1: 1']],
  ])('by the %s model moves up by its share of cancels', (model, fills) => {
    // 10 ahead and 10 behind; 10 of 20 are canceled, of which 5 were ahead in proportion.
    const events = [...behindTen, frame(1200, [[100, 20]]), frame(1300, [[100, 10]]), trade(1, 1350, 100, 6)];
    expect(play(events, model).fills).toEqual(fills);
  });

  it('of a trade late by more frames than are kept gets nothing at its price', () => {
    const frames = Array.from({ length: 70 }, (_, index) => frame(1200 + index * 100, [[99, index + 2]]));
    expect(play([...behindTen, ...frames, trade(1, 1150, 100, 20)]).fills).toEqual([]);
  });
});

const two = [snapshot(1000, [[100, 1]]), enter(1, 99, 4), enter(2, 100, 4), enter(3, 100, 4), frame(1100, [[98, 1]])];

it.each<[rule: string, events: readonly MarketEvent[], fills: readonly string[]]>([
  ['share a trade, the best price first, then the oldest', [trade(1, 1150, 98, 10)], ['2: 4', '3: 4', '1: 2']],
  ['share a trade at their price behind the amount ahead', [trade(1, 1150, 100, 6)], ['2: 4', '3: 1']],
  ['share an offer', [frame(1200, levels('100 0, 98 0'), [[97, 5]])], ['2: 4', '3: 1']],
  ['do not get what another order took', [take(105, 5), frame(1200, [[100, 0]], [[97, 0]])], []],
])('several orders %s', (_rule, events, fills) => {
  expect(play([...two, ...events]).fills).toEqual(fills);
});
