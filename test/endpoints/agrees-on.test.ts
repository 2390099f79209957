// Whether a record is the one that a request made.
import { expect, it } from 'vitest';
import { isAmountOf } from '../../src/endpoints/agrees-on.js';

it.each([
  ['1.2', '1.20', true],
  ['1.2', '1.2000009', true],
  ['0.12345678', '0.123456789', true],
  ['1.2', '1.27', 'perhaps'],
  ['100', '100.5', 'perhaps'],
  ['10.12', '10.129', 'perhaps'],
  ['0.01', '0.015', 'perhaps'],
  ['1', '1.005', 'perhaps'],
  ['10.12', '10.13', false],
  ['1.3', '1.2', false],
  ['odd', '1', false],
  ['1', undefined, false],
])('%j is the amount of a request of %j, which the exchange may have cut: %j', (shown, requested, isIt) => {
  expect(isAmountOf(shown, requested)).toBe(isIt);
});
