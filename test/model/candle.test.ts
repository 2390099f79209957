// The lengths of the intervals of candles, beside their names.
import { expect, it } from 'vitest';
import { candleIntervals, candleSeconds } from '../../src/model/candle.js';

const ofUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, M: 2_592_000 };

it.each(candleIntervals)('the interval %s is as long as its name says', (interval) => {
  expect(candleSeconds[interval]).toBe(Number.parseInt(interval, 10) * (ofUnit[interval.slice(-1)] ?? 0));
});
