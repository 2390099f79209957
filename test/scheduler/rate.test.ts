import { describe, expect, it } from 'vitest';
import { Rate } from '../../src/scheduler/usage.js';

describe('a rate', () => {
  const often = (rate: Rate, times: number, now: number) => {
    for (let time = 0; time < times; time += 1) rate.count(now);
  };

  it('counts the current second and the overlapping part of the previous one', () => {
    const rate = new Rate();
    often(rate, 10, 10_200);
    expect([10_200, 10_999, 11_000, 11_500, 11_900].map((now) => rate.perSecond(now))).toEqual([10, 10, 10, 5, 1]);
    often(rate, 3, 11_900);
    expect(rate.perSecond(11_900)).toBe(4);
  });

  it('is 0 two seconds later', () => {
    const rate = new Rate();
    often(rate, 10, 10_200);
    expect(rate.perSecond(12_000)).toBe(0);
    often(rate, 2, 12_000);
    expect(rate.perSecond(12_000)).toBe(2);
  });
});
