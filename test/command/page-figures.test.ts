// The page's figures: formatted without rounding, the ladder of the book, times and durations.
import { describe, expect, it } from 'vitest';
import * as format from '../../src/cli/dashboard/page/views/format.js';
import { add, groupOf, ladder, stepsOf, sumDecimals } from '../../src/cli/dashboard/page/views/ladder.js';
import type { BookLevel } from '../../src/cli/dashboard/messages.js';

const { clock, filledShare, directionOf, latency, moment, roundUp, short, shortMs, timeLabels } = format;

describe('figures of the page', () => {
  it.each([
    ['60012.4', 2, '60,012.40'],
    ['-0.27', 0, '−0.27'],
    ['+1172.4', 2, '+1,172.40'],
    ['1234567', 0, '1,234,567'],
    ['0.123456789', 2, '0.123456789'],
    [`9${'0'.repeat(63)}`, 2, `9${',000'.repeat(21)}.00`],
    ['', 2, '–'],
    [null, 2, '–'],
    ['(81 characters, not shown)', 2, '(81 characters, not shown)'],
    ['1e5', 2, '1e5'],
  ])('writes %j with %j decimals as %j, never rounded', (raw, decimals, text) => {
    expect(format.figure(raw, decimals)).toBe(text);
  });

  it.each([
    ['0.0400', ['0.04', '00']],
    ['4.0000', ['4', '.0000']],
    ['0.0000', ['', '0.0000']],
    ['60,012.40', ['60,012.4', '0']],
    ['1,000', ['1,000', '']],
    ['0.1705', ['0.1705', '']],
    ['–', ['–', '']],
  ])('splits the zeros of %j', (text, parts) => {
    expect(format.splitZeros(text)).toEqual(parts);
  });

  it.each([
    [400, '0.4 s', '0 s'],
    [12_900, '12 s', '12 s'],
    [72_000, '1:12', '1:12'],
    [7_260_000, '2 h 01', '2 h 01'],
    [90_000_000, '1 d', '1 d'],
    [-5, '0.0 s', '0 s'],
  ])('writes %j ms as an age and as a duration', (ms, aged, lasted) => {
    expect([format.age(ms), format.lasting(ms)]).toEqual([aged, lasted]);
  });

  it.each([
    [1400, '1.4 s'],
    [45_000, '45 s'],
    [90_000, '1:30'],
    [12_464_000, '3:27:44'],
  ])('writes %j ms that are to come as %j', (ms, text) => {
    expect(format.until(ms)).toBe(text);
  });

  it('writes times in UTC, with the date of another day, and a dash for an impossible or unknown one', () => {
    const now = Date.UTC(2026, 10, 28, 20, 32, 16);
    expect([now, 1e300, null, undefined].map(clock)).toEqual(['20:32:16', '–', '–', '–']);
    const times = [now, now - 86_400_000, -70_000_000_000_000, 1e300, null, undefined];
    expect(times.map((at) => moment(at, now))).toEqual([
      ...['20:32:16', '2026-11-27 20:32:16', '-000249-10-15 19:33:20', '–', '–', '–'],
    ]);
  });

  it('writes times below a chart once, and none that the edge would cut off', () => {
    const start = Date.UTC(2026, 1, 1, 12, 30);
    const times = [0, 30, 60, 120, 150].map((seconds) => start + seconds * 1000);
    const roomOf = (at: number) => 100 - (at - start) / 1500;
    expect(timeLabels(times, roomOf)).toEqual(['12:30', '', '12:31', '12:32', '']);
    expect(timeLabels(times.slice(0, 1), () => 10)).toEqual(['']);
  });

  it('writes computed figures in few places', () => {
    expect([shortMs(0), shortMs(500), shortMs(2000)]).toEqual(['0 ms', '500 ms', '2 s']);
    expect([short(126_000), short(2.5e6), short(3e9), short(500), short(1.234)]).toEqual([
      ...['126.0k', '2.5m', '3.0b', '500', '1.23'],
    ]);
    expect([latency(11.4), latency(1.23), latency(null)]).toEqual(['11', '1.2', '–']);
    expect([roundUp(44), roundUp(11), roundUp(0)]).toEqual([50, 20, 1]);
    expect([filledShare('1', '4'), filledShare('9', '4'), filledShare('1', '0')]).toEqual([0.25, 1, 0]);
    expect([directionOf('-1'), directionOf('+0.1'), directionOf('0.00'), directionOf(null)]).toEqual([
      ...['down', 'up', 'same', 'same'],
    ]);
  });
});

describe('the ladder of the book', () => {
  const asks: readonly BookLevel[] = [
    ['60012.75', '0.4683'],
    ['60013.95', '0.2267', '0.04'],
    ['60014.80', '0.2528'],
  ];
  const bids: readonly BookLevel[] = [
    ['60012.20', '0.1705'],
    ['60011.70', '0.2865'],
  ];

  it('sums from the best price on, exactly, with bars of one scale', () => {
    const rows = ladder({ asks, bids }, '', 10);
    expect(rows.asks.map(({ sum, own }) => [sum, own])).toEqual([
      ['0.468', ''],
      ['0.695', '0.04'],
      ['0.948', ''],
    ]);
    expect(rows.bids.map(({ sum }) => sum)).toEqual(['0.171', '0.457']);
    expect([rows.asks[2]?.share, rows.bids[0]?.share]).toEqual([1, 0.1705 / 0.9478]);
  });

  it('groups asks upwards and bids downwards, with own amounts, and shows no row that there is no room for', () => {
    const rows = ladder({ asks, bids }, '1', 2);
    expect(rows.asks.map(({ price, amount, own }) => [price, amount, own])).toEqual([
      ['60013', '0.4683', ''],
      ['60014', '0.2267', '0.04'],
    ]);
    expect(rows.bids.map(({ price, amount }) => [price, amount])).toEqual([
      ['60012', '0.1705'],
      ['60011', '0.2865'],
    ]);
  });

  it('leaves out the last group of a full list, which may lack levels', () => {
    const many = Array.from({ length: 100 }, (_, index): BookLevel => [String(200 - index), '1']);
    expect(ladder({ asks: [], bids: many }, '50', 10).bids.map(({ price }) => price)).toEqual(['200', '150']);
  });

  it('shows no sum after an amount that is not a number', () => {
    const level = (text: string): BookLevel => [text.slice(0, 1), text.slice(2)];
    const bids = [level('x 1')];
    const { asks } = ladder({ asks: ['1 2', '2 (long)', '3 1'].map(level), bids }, '', 10);
    expect(asks.map(({ sum }) => sum)).toEqual(['2.00', '', '']);
    const grouped = ladder({ asks: ['1 2', '1 (long)'].map(level), bids }, '1', 10);
    expect(grouped).toMatchObject({ asks: [{ amount: '–', sum: '' }], bids: [] });
  });

  it.each([
    ['0.01', ['0.01', '0.1', '1', '10']],
    ['0.5', ['0.5', '5', '50', '500']],
    ['0', []],
    ['', []],
  ])('offers steps of the tick %j', (tick, steps) => {
    expect(stepsOf(tick)).toEqual(steps);
  });

  it('computes with decimals of any length', () => {
    expect(add('0.1', '0.2')).toBe('0.3');
    expect(add('60012.75', '-60012.20')).toBe('0.55');
    expect(add('-0.10', '0.05')).toBe('-0.05');
    expect(add(`9${'0'.repeat(63)}`, '0.01')).toBe(`9${'0'.repeat(63)}.01`);
    expect(add('1', 'x')).toBeUndefined();
    expect([groupOf('1.234', '0.01', 'asks'), groupOf('1.234', '0.01', 'bids')]).toEqual(['1.24', '1.23']);
    expect([groupOf('x', '1', 'asks'), groupOf('1', '0', 'bids')]).toEqual([undefined, undefined]);
    expect([sumDecimals(2.48), sumDecimals(0.02), sumDecimals(5000), sumDecimals(0)]).toEqual([2, 4, 0, 2]);
  });
});
