// The levels of a recorded book after frames: a price is a price however its digits are written, and however long it is.
import { expect, it } from 'vitest';
import { decimal } from '../../../src/model/decimal.js';
import { afterFrame, amountAt, noLiquidity, taking, type Changes } from '../../../src/sandbox/engine/liquidity.js';

const snapshot = (buy: Changes, sell: Changes) => afterFrame(noLiquidity(3), { isSnapshot: true, buy, sell });
const rows = (levels: readonly { readonly price: { toFixed(): string }; readonly amount: { toFixed(): string } }[]) =>
  levels.map(({ price, amount }) => `${price.toFixed()}: ${amount.toFixed()}`);
/** The same double as the next one. */
const [low, high] = ['100.00000000000000001', '100.00000000000000002'];

it('changes the level of a price that is written with other digits', () => {
  const shown = snapshot([['100.5', '1']], []);
  expect(rows(afterFrame(shown, { isSnapshot: false, buy: [['100.50', '2']], sell: [] }).buy)).toEqual(['100.5: 2']);
  expect(afterFrame(shown, { isSnapshot: false, buy: [['1.005e2', '0.00']], sell: [] }).buy).toEqual([]);
});

it('keeps prices apart that are one double, best first', () => {
  const levels: Changes = [
    [low, '1'],
    [high, '2'],
  ];
  const shown = snapshot(levels, levels);
  expect(rows(shown.buy)).toEqual([`${high}: 2`, `${low}: 1`]);
  expect(rows(shown.sell)).toEqual([`${low}: 1`, `${high}: 2`]);
  expect(amountAt(shown, 'buy', decimal(low))?.toFixed()).toBe('1');
  const changed = afterFrame(shown, { isSnapshot: false, buy: [[high, '0']], sell: [[low, '0']] });
  expect([rows(changed.buy), rows(changed.sell)]).toEqual([[`${low}: 1`], [`${high}: 2`]]);
});

it('removes a level by zero only, not by the smallest amount', () => {
  const shown = snapshot([['100', '1']], []);
  const tiny = `0.${'0'.repeat(99)}1e-99`;
  expect(afterFrame(shown, { isSnapshot: false, buy: [['100', tiny]], sell: [] }).buy).toHaveLength(1);
  expect(afterFrame(shown, { isSnapshot: false, buy: [['100', '0e0']], sell: [] }).buy).toHaveLength(0);
});

it('keeps what was taken of a level, up to what it shows', () => {
  const taken = taking(snapshot([], [['101', '5']]), 'sell', decimal(101), decimal(3));
  const after = (amount: string, isSnapshot = false) =>
    afterFrame(taken, { isSnapshot, buy: [], sell: [['101', amount]] }).sell.map((level) => level.taken.toFixed());
  expect([after('4'), after('2'), after('9', true), after('0')]).toEqual([['3'], ['2'], ['3'], []]);
});
