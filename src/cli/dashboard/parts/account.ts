// The value of the account in a currency: its wallets at the last prices, and how it has changed.
import { auditTime, combineLatest, map, type Observable } from 'rxjs';
import { decimal, formatDecimal, type Decimal } from '../../../model/decimal.js';
import type { AccountPart, AssetRow, EquityPoint } from '../messages.js';
import { pageAmount, pageName } from '../page-text.js';
import { rateOf, rounded, signed, sum, type Prices } from './figures.js';
import { worstOf, type Shown } from './freshness.js';
import type { Tickers } from './market.js';
import type { Holding, Wallet, WalletName } from './wallets.js';

/** Pushes of several wallets, and of prices, come together. */
const everyMs = 250;
const maxAssets = 100;
const maxNotValued = 20;
/** Of a currency such as BTC; the page shows fewer of a value of thousands. */
const valueDecimals = 8;
const walletNames = ['spot', 'collateral', 'main'] as const;
const fiat = /^(?:USD|EUR|GBP|TRY|UAH|USDT|USDC)$/;

function placesOf(currency: string): number {
  return fiat.test(currency) ? 2 : valueDecimals;
}

export function accountPart(
  wallets: Readonly<Record<WalletName, Observable<Shown<Wallet>>>>,
  tickers$: Observable<Shown<Tickers>>,
  currency: string,
  equity: Equity,
): Observable<AccountPart> {
  return combineLatest({ ...wallets, tickers: tickers$ }).pipe(
    auditTime(everyMs),
    map(({ tickers, ...byName }) => {
      const prices: Prices = tickers.value?.prices ?? new Map();
      const valued = walletNames.map((name) => valueWallet(name, byName[name], currency, prices));
      const isKnown = tickers.value !== undefined && valued.every(({ value }) => value !== undefined);
      const total = sum(valued.map(({ value }) => value ?? decimal(0)));
      const walletsState = worstOf(walletNames.map((name) => byName[name].state));
      // A value is no truer than the prices that it is made with.
      const state =
        tickers.state.status === 'stale' && walletsState.status !== 'refused'
          ? { ...worstOf([walletsState, tickers.state]), reason: 'prices are not up to date' }
          : walletsState;
      const value = isKnown ? rounded(total, placesOf(currency)) : null;
      if (value !== null && (state.status === 'live' || state.status === 'read')) equity.add(value);
      const notValued = [...new Set(valued.flatMap(({ unpriced }) => unpriced))];
      return {
        state,
        currency: pageName(currency),
        value,
        notValued: notValued.slice(0, maxNotValued).map(pageName),
        change: value === null ? null : equity.change(placesOf(currency)),
        wallets: valued.map(({ part }) => part),
      };
    }),
  );
}

function valueWallet(wallet: WalletName, { value: held, state }: Shown<Wallet>, currency: string, prices: Prices) {
  const rows = [...(held?.holdings.values() ?? [])]
    .filter(({ amount, borrowed, isStale }) => isStale === true || amount?.isZero() === false || isAmount(borrowed))
    .map((holding) => ({ holding, value: valueOf(holding, currency, prices) }));
  const total = sum(rows.map(({ value }) => value ?? decimal(0)));
  const shown = rows
    .toSorted((one, other) => (other.value?.toNumber() ?? -1) - (one.value?.toNumber() ?? -1))
    .slice(0, maxAssets);
  return {
    part: {
      ...{ wallet, state, value: held === undefined ? null : rounded(total, placesOf(currency)) },
      assets: shown.map(({ holding, value }) => assetRow(holding, value, currency)),
      notShown: rows.length - shown.length,
    },
    value: held === undefined ? undefined : total,
    unpriced: rows.flatMap(({ holding, value }) => (value === undefined ? holding.asset : [])),
  };
}

/** Without what the exchange has lent. */
function valueOf({ asset, amount, borrowed }: Holding, currency: string, prices: Prices): Decimal | undefined {
  const rate = rateOf(asset, currency, prices);
  if (rate === undefined || amount === undefined) return undefined;
  return amount.minus(isAmount(borrowed) ? decimal(borrowed).abs() : 0).multipliedBy(rate);
}

function isAmount(text: string | undefined): text is string {
  return text !== undefined && /[1-9]/.test(text);
}

function assetRow(holding: Holding, value: Decimal | undefined, currency: string): AssetRow {
  const { asset, amount, inOrders = '', borrowed = '', isStale = false } = holding;
  return {
    asset: pageName(asset),
    amount: amount === undefined ? '' : pageAmount(formatDecimal(amount)),
    ...{ inOrders: pageAmount(inOrders), borrowed: pageAmount(borrowed), isStale },
    value: value === undefined ? null : pageAmount(rounded(value, placesOf(currency))),
  };
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const maxPoints = 1440;

/** The values of the account in a currency over the last day, one for each minute: the newest in it. */
export class Equity {
  #first: EquityPoint | undefined;
  #points: readonly EquityPoint[] = [];

  get points(): readonly EquityPoint[] {
    return this.#points;
  }

  add(value: string): void {
    const now = Date.now();
    this.#first ??= { at: now, value };
    const at = Math.floor(now / minuteMs) * minuteMs;
    const before = this.#points.filter((point) => point.at < at && point.at > now - dayMs);
    this.#points = [...before, { at, value }].slice(-maxPoints);
  }

  change(places: number): AccountPart['change'] {
    const last = this.#points.at(-1);
    const isRecent = this.#first !== undefined && this.#first.at > Date.now() - dayMs;
    const from = isRecent ? this.#first : this.#points[0];
    if (from === undefined || last === undefined) return null;
    return { amount: signed(decimal(last.value).minus(from.value), places), since: from.at };
  }
}
