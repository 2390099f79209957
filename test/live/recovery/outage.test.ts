// An outage, and the two gaps that a stream has of it: items may be missing, and none is any more.
import { describe, expect, it } from 'vitest';
import { gapOf, Outage } from '../../../src/live/recovery/index.js';

/** What an outage says, by what happens to it. */
const steps = {
  cut: (outage: Outage) => {
    outage.begin('reconnect', 100);
    return undefined;
  },
  unreadable: (outage: Outage) => {
    outage.begin('unreadable', 200);
    return undefined;
  },
  report: (outage: Outage) => outage.report(),
  read: (outage: Outage) => outage.read(false, true),
  'read in part': (outage: Outage) => outage.read(true, true),
  'read with an unreadable item': (outage: Outage) => outage.read(false, false),
};
type Step = keyof typeof steps;

function gapsAfter(...names: readonly Step[]) {
  const outage = new Outage();
  const gaps = names.map((name) => {
    const gap = steps[name](outage);
    return gap === undefined ? 'none' : `${gap.reason} from ${gap.from}${gap.filled ? ', filled' : ''}`;
  });
  return { last: gaps.at(-1), outage };
}

describe('an outage', () => {
  it.each<[steps: readonly Step[], gap: string]>([
    [['report'], 'none'],
    [['read'], 'none'],
    [['cut', 'report'], 'reconnect from 100'],
    [['cut', 'report', 'report'], 'none'],
    [['cut', 'read'], 'reconnect from 100'],
    [['cut', 'report', 'read'], 'none'],
    [['cut', 'read', 'read'], 'reconnect from 100, filled'],
    [['cut', 'read', 'read', 'read'], 'none'],
    [['cut', 'read with an unreadable item'], 'reconnect from 100'],
    [['cut', 'read', 'read with an unreadable item'], 'none'],
    // More may be missing than was read.
    [['cut', 'read in part', 'report'], 'reconnect from 100'],
    // The items of the first interruption are missing still.
    [['cut', 'unreadable', 'report'], 'reconnect from 100'],
    [['cut', 'report', 'unreadable', 'report'], 'unreadable from 100'],
    [['cut', 'read', 'read', 'unreadable', 'report'], 'unreadable from 200'],
  ])('after %j has the gap: %s', (names, gap) => {
    expect(gapsAfter(...names).last).toBe(gap);
  });

  it.each<[steps: readonly Step[], isRead: boolean]>([
    [[], false],
    [['read'], false],
    [['cut'], false],
    [['cut', 'read in part'], false],
    [['cut', 'read'], true],
    [['cut', 'read', 'unreadable'], false],
    [['cut', 'read', 'read'], false],
  ])('after %j has been read: %s', (names, isRead) => {
    const { outage } = gapsAfter(...names);
    expect([outage.isRead, outage.isReported]).toEqual([isRead, isRead]);
  });

  it('says since when items are missing', () => {
    expect([[], ['cut'], ['cut', 'read', 'read']].map((names) => gapsAfter(...(names as Step[])).outage.from)).toEqual([
      undefined,
      100,
      undefined,
    ]);
  });
});

it('a gap does not end before it begins, and is of one market or of all', () => {
  const fact = { reason: 'silence', from: 100, filled: false } as const;
  expect([gapOf('trades', 'BTC_USDT', fact, 90), gapOf('deals', undefined, fact, 110)]).toEqual([
    { kind: 'gap', channel: 'trades', market: 'BTC_USDT', ...fact, to: 100 },
    { kind: 'gap', channel: 'deals', ...fact, to: 110 },
  ]);
});
