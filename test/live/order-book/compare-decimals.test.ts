// Decimal strings of a book are compared as exact decimals.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDecimals, nearestDouble } from '../../../src/live/order-book/compare-decimals.js';
import { decimal } from '../../../src/model/decimal.js';

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^\\d{1,${maxLength}}$`));
const decimals = fc.oneof(
  digits(25),
  fc.tuple(digits(12), digits(12)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.tuple(digits(3), fc.integer({ min: -30, max: 30 })).map(([whole, power]) => `${whole}e${power}`),
  fc.constantFrom('0', '0.0', '-0', '-1.5', '0.1', '0.10', '9'.repeat(15), '9'.repeat(16), '9007199254740993', '1E5'),
);

describe('the decimal strings of a book', () => {
  it('are the doubles that Number makes of them', () => {
    fc.assert(
      fc.property(decimals, (text) => {
        expect(nearestDouble(text) === Number(text)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('compare as exact decimals do', () => {
    fc.assert(
      fc.property(decimals, decimals, (one, other) => {
        const expected = decimal(one).comparedTo(decimal(other)) ?? Number.NaN;
        expect(Math.sign(compareDecimals(one, other)) === expected).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
