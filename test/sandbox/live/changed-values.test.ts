// What each fault of values makes of a message of `depth`, and which messages it leaves for a later one.
import type { LiveFaultKind } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { depthPush } from '../../../src/sandbox/live/channels/depth.js';
import type { DepthData, Push } from '../../../src/sandbox/live/envelope.js';
import { changedValues } from '../../../src/sandbox/live/faults/changed-values.js';

type Sides = Pick<DepthData, 'asks' | 'bids' | 'past_update_id'>;

const market = 'BTC_USDT';
const times = { timestamp: 1, update_id: 10, event_time: 2 };
const push = (isFull: boolean, sides: Sides) => depthPush(market, isFull, { ...times, ...sides });
const snapshot = (sides: Sides) => push(true, sides);
const change = (sides: Sides) => push(false, { past_update_id: 9, ...sides });
const changed = changedValues;
/** The one message of the fault, without what it shares with all messages. */
const sidesOf = (kind: LiveFaultKind, message: Push) => {
  const [{ depth } = message] = changed(kind, message) ?? [];
  const { asks, bids } = depth?.data ?? {};
  return { ...(asks === undefined ? {} : { asks }), ...(bids === undefined ? {} : { bids }) };
};

const asks = [
  ['101', '1'],
  ['102.5', '2'],
] as const;
const bids = [
  ['100', '3'],
  ['99.5', '0.4'],
] as const;

describe('a fault of depth', () => {
  it.each([
    ['gap', 'a snapshot', snapshot({ asks, bids })],
    ['gap', 'the first message without a past_update_id', push(false, { asks })],
    ['crossed', 'a message without levels', change({})],
    ['unsorted', 'a message without levels', change({})],
    ['unsorted', 'a message with one level on each side', change({ asks: [['101', '1']], bids: [['100', '1']] })],
    ['zero-variants', 'a change that removes nothing', change({ asks, bids })],
    ['zero-variants', 'a message without levels', change({})],
    ['delta-first', 'a change', change({ asks })],
    ['half-open', 'a message of depth', change({ asks })],
  ] as const)('%s leaves %s as it is', (kind, _, message) => {
    expect(changed(kind, message)).toBeUndefined();
  });

  it.each(['gap', 'crossed', 'unnormalized', 'delta-first'] as const)(
    '%s leaves other channels as they are',
    (kind) => {
      expect(changed(kind, { channel: 'lastprice', market, params: [market, '1'] })).toBeUndefined();
    },
  );

  it('gap counts the past_update_id one too low, and keeps the levels', () => {
    expect(changed('gap', change({ asks }))).toEqual([push(false, { past_update_id: 8, asks })]);
  });

  it.each([
    ['both sides', { asks, bids }, { asks, bids: [['202', '1'], ...bids] }],
    ['asks only', { asks }, { asks, bids: [['202', '1']] }],
    ['bids only', { bids }, { bids: [['200', '1'], ...bids] }],
  ])('crossed puts a bid above all asks into a message with %s', (_, sides, expected) => {
    expect(sidesOf('crossed', change(sides))).toEqual(expected);
  });

  it.each([
    ['both sides', { asks, bids }, { asks: asks.toReversed(), bids: bids.toReversed() }],
    ['asks only', { asks }, { asks: asks.toReversed() }],
    ['bids only', { bids }, { bids: bids.toReversed() }],
  ])('unsorted reverses a message with %s', (_, sides, expected) => {
    expect(sidesOf('unsorted', change(sides))).toEqual(expected);
  });

  it('unnormalized adds zeros, and a missing point', () => {
    expect(sidesOf('unnormalized', change({ asks }))).toEqual({
      asks: [
        ['101.00', '1.00'],
        ['102.50', '2.00'],
      ],
    });
    expect(sidesOf('unnormalized', change({ bids }))).toEqual({
      bids: [
        ['100.00', '3.00'],
        ['99.50', '0.40'],
      ],
    });
  });

  it('zero-variants writes the zeros of removals in two other ways, and other amounts as they are', () => {
    const removals = change({
      bids: [
        ['100', '0'],
        ['99', '0'],
        ['98', '0.5'],
      ],
    });
    expect(sidesOf('zero-variants', removals)).toEqual({
      bids: [
        ['100', '0.0'],
        ['99', '0.00000000'],
        ['98', '0.5'],
      ],
    });
  });

  it.each([
    ['bids', { asks, bids }, { asks, bids: [bids[0]] }],
    ['no bids', { asks }, { asks, bids: [] }],
  ])('delta-first sends a change before a snapshot with %s', (_, sides, expected) => {
    const message = snapshot(sides);
    expect(changed('delta-first', message)).toEqual([push(false, { past_update_id: 9, ...expected }), message]);
  });
});
