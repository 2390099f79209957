// What is known of a state of the account: pushes join what was read, and go back never.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyBalances,
  applyList,
  bridgeStates,
  isSameState,
  withPush,
  type RecentPushes,
} from '../../../src/live/my/known-state.js';

type Balances = Readonly<Record<string, number>>;

const whole = <State>(state: State) => ({ state, isWhole: true });
const part = <State>(state: State) => ({ state, isWhole: false });

describe('applyBalances', () => {
  it.each([
    ['replaces an asset', whole({ BTC: 1, USDT: 5 }), whole({ BTC: 2 }), whole({ BTC: 2, USDT: 5 })],
    ['adds an asset', whole({ BTC: 1 }), whole({ ETH: 3 }), whole({ BTC: 1, ETH: 3 })],
    ['is not whole after a push that is not', whole({ BTC: 1 }), part({ ETH: 3 }), part({ BTC: 1, ETH: 3 })],
    ['stays not whole', part({ BTC: 1 }), whole({ ETH: 3 }), part({ BTC: 1, ETH: 3 })],
  ])('%s', (_, known, pushed, expected) => {
    expect(applyBalances<number>(known, pushed)).toEqual(expected);
  });

  it('has at most 10,000 assets', () => {
    const many = (count: number) => whole(Object.fromEntries(Array.from({ length: count }, (_, id) => [`A${id}`, 1])));
    expect(applyBalances(many(10_000), whole({ A1: 2 }))).toBeDefined();
    expect(applyBalances(many(10_000), whole({ B: 2 }))).toBeUndefined();
  });
});

describe('applyList', () => {
  it('is the pushed list', () => {
    expect(applyList(whole([1]), part([2]))).toEqual(part([2]));
  });
});

describe('isSameState', () => {
  it('ignores the order of fields, and nothing else', () => {
    const one = whole({ BTC: { available: '1', freeze: '2' } });
    expect(isSameState(one, whole({ BTC: { freeze: '2', available: '1' } }))).toBe(true);
    expect(isSameState(one, part({ BTC: { freeze: '2', available: '1' } }))).toBe(false);
    expect(isSameState(one, whole({ BTC: { freeze: '2', available: '3' } }))).toBe(false);
    expect(isSameState(undefined, one)).toBe(false);
  });
});

describe('bridgeStates', () => {
  const push$ = fc.record({
    afterMs: fc.integer({ min: 0, max: 300 }),
    asset: fc.constantFrom('BTC', 'ETH', 'USDT'),
  });

  it('has the newest push of each asset, whatever the page says of it, and the page otherwise', () => {
    fc.assert(
      fc.property(fc.array(push$, { maxLength: 40 }), fc.nat(3000), fc.boolean(), (pushes, readAt, isReading) => {
        const page: Balances = { BTC: -1, SOL: -2 };
        const newest: Record<string, number> = {};
        let recent: readonly RecentPushes<Balances>[] | undefined = [];
        let at = 0;
        for (const [version, { afterMs, asset }] of pushes.entries()) {
          at += afterMs;
          newest[asset] = version;
          const next: RecentPushes<Balances> = { at, pushed: part({ [asset]: version }) };
          recent = recent && withPush(recent, next, isReading ? readAt : at - 100, applyBalances);
        }
        expect(recent && bridgeStates(whole(page), recent, applyBalances)).toEqual(whole({ ...page, ...newest }));
      }),
    );
  });

  it('keeps pushes of a read as one, and no more than there can be', () => {
    const first: RecentPushes<Balances> = { at: 10, pushed: whole({ BTC: 1 }) };
    const next: RecentPushes<Balances> = { at: 9000, pushed: whole({ ETH: 1 }) };
    expect(withPush([first], next, 5, applyBalances)).toEqual([{ at: 10, pushed: whole({ BTC: 1, ETH: 1 }) }]);
    expect(withPush([first], next, 11, applyBalances)).toEqual([first, next]);
    expect(withPush([first], next, 5, () => undefined)).toBeUndefined();
  });
});
