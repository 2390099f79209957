// The page of a report: its figures, no script, and nothing of a name that could be HTML.
import { reportPage, type Report } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';

const profit = { realized: '5', unrealized: '-1', fees: '0.5', funding: '0.25', profit: '3.75' };
const report: Report = {
  ...{ account: '<b>main</b>', costBasis: 'fifo', from: Date.UTC(2026, 10, 28), to: Date.UTC(2026, 10, 29) },
  orders: { FILLED: 2 },
  markets: [
    {
      ...{ market: 'BTC_USDT', wallet: 'trade', currency: 'USDT', fills: 2, makerFills: 1, bought: '2', sold: '1' },
      ...{ turnover: '300', position: '1', price: '99', maxExposure: '200', ...profit },
    },
    {
      ...{ market: 'BTC_PERP', wallet: 'collateral', currency: 'USDT', fills: 0, makerFills: 0, bought: '0' },
      ...{ sold: '0', turnover: '0', position: '0', price: '0', maxExposure: '0', ...profit },
    },
  ],
  currencies: [
    {
      ...{ currency: 'USDT', maxDrawdown: '1.5', ...profit },
      equity: [
        { at: Date.UTC(2026, 10, 28), profit: '0' },
        { at: Date.UTC(2026, 10, 28, 12), profit: '-2' },
        { at: Date.UTC(2026, 10, 29), profit: '3.75' },
      ],
    },
  ],
};

describe('the page of a report', () => {
  const page = reportPage(report);

  it('has the figures of each market and currency', () => {
    const rows = [...page.matchAll(/<tr>(?:<td>[^<]*<\/td>)+<\/tr>/g)].map(([row]) =>
      [...row.matchAll(/<td>([^<]*)/g)].map(([, cell]) => cell),
    );
    expect(rows).toEqual([
      ['USDT', '5', '-1', '0.5', '0.25', '3.75', '1.5'],
      ['BTC_USDT', 'spot', '2 (1 as maker)', '2', '1', '1', '99', '300 USDT', '200', '5', '-1', '0.5', '0.25', '3.75'],
      [
        ...['BTC_PERP', 'collateral', '0 (0 as maker)', '0', '0', '0', '0', '0 USDT', '0'],
        ...['5', '-1', '0.5', '0.25', '3.75'],
      ],
    ]);
  });

  it('has no script and no HTML of a name', () => {
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<b>');
    expect(page).toContain("default-src 'none'");
  });

  it('draws the profit over time, also one that is always 0, a moment, and no point at all', () => {
    expect(page).toContain('points="0,130.43 400,200 800,0"');
    expect(page).toContain('Profit in USDT: from -2 to 3.75');
    const curveOf = (...equity: readonly { readonly at: number; readonly profit: string }[]) =>
      reportPage({ ...report, currencies: [{ currency: 'USDT', maxDrawdown: '0', ...profit, equity }] });
    expect(curveOf({ at: 5, profit: '0' })).toContain('points="0,200"');
    expect(curveOf({ at: 5, profit: '0' }, { at: 6, profit: '0' })).toContain('points="0,200 800,200"');
    expect(curveOf()).toContain('points=""');
  });

  it('says that nothing was traded', () => {
    const empty = reportPage({ ...report, account: '', from: 0, to: 0, orders: {}, markets: [], currencies: [] });
    expect(empty).toContain('Report of no account');
    expect(empty.match(/Nothing was traded\./g)).toHaveLength(2);
  });
});
