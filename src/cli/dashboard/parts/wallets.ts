// The assets of the three wallets: pushed by the live connection where it does, and else read by requests.
import { map, NEVER, scan, type MonoTypeOperatorFunction, type Observable } from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import type { Balance, CollateralAsset, TradeBalance } from '../../../model/balances.js';
import type { Decimal } from '../../../model/decimal.js';
import { unreadableIn } from '../../../model/unreadable.js';
import type { WalletPart } from '../messages.js';
import { readAmount } from './figures.js';
import { live, liveOrRead, shared, shown, type Outage, type Reading, type Shown } from './freshness.js';

const readEveryMs = 5000;

export interface Holding {
  readonly asset: string;
  /** With what orders reserve; `undefined` where it could not be read. */
  readonly amount: Decimal | undefined;
  readonly inOrders?: string;
  readonly borrowed?: string;
  readonly isStale?: boolean;
}

export interface Wallet {
  /** An asset that is missing has none. */
  readonly holdings: ReadonlyMap<string, Holding>;
  /** The assets that could not be read; `some`: the response does not name them. */
  readonly unread: readonly string[] | 'some';
}

export type WalletName = WalletPart['wallet'];

export function wallets(exchange: Exchange, outage: Outage): Readonly<Record<WalletName, Observable<Shown<Wallet>>>> {
  const { account, collateral, live: connection, spot } = exchange;
  const options = { retry: false } as const;
  const wallet = (live$: Observable<Reading<Wallet>>, read: () => Observable<Wallet>, paceMs: number | null) =>
    liveOrRead(outage, live$, read, readEveryMs).pipe(keepUnread(), shown(outage, paceMs), shared());
  const spot$ = connection.my.balances().pipe(live(({ value }) => spotWallet(value)));
  const collateral$ = connection.my.marginBalances().pipe(live(({ value }) => collateralWallet(Object.values(value))));
  return {
    spot: wallet(spot$, () => spot.balance(options).pipe(map(spotWallet)), null),
    collateral: wallet(collateral$, () => collateral.balanceSummary({}, options).pipe(map(collateralWallet)), null),
    // The exchange does not push it.
    main: wallet(NEVER, () => account.mainBalance(options).pipe(map(mainWallet)), readEveryMs),
  };
}

function mainWallet(balance: Balance): Wallet {
  return walletOf(balance, ({ main_balance }) => ({ amount: readAmount(main_balance) }));
}

function spotWallet(balance: TradeBalance): Wallet {
  return walletOf(balance, ({ available, freeze = '0' }) => {
    const reserved = readAmount(freeze);
    return { amount: reserved && readAmount(available)?.plus(reserved), inOrders: freeze };
  });
}

function collateralWallet(assets: readonly CollateralAsset[]): Wallet {
  const holdings = assets.map(({ asset, balance, borrow = '' }): [string, Holding] => [
    asset,
    { asset, amount: readAmount(balance), borrowed: borrow },
  ]);
  return { holdings: new Map(holdings), unread: unreadableIn(assets) === undefined ? [] : 'some' };
}

function walletOf<Entry>(
  balance: Readonly<Record<string, Entry>>,
  read: (entry: Entry) => Omit<Holding, 'asset'>,
): Wallet {
  const holdings = Object.entries(balance).map(([asset, entry]): [string, Holding] => [
    asset,
    { asset, ...read(entry) },
  ]);
  return { holdings: new Map(holdings), unread: unreadableIn(balance)?.keys ?? [] };
}

/** An asset that could not be read has not disappeared: it keeps its last amount. */
function keepUnread(): MonoTypeOperatorFunction<Reading<Wallet>> {
  return scan((last, reading) => {
    const { holdings, unread } = reading.value;
    if (unread.length === 0) return reading;
    const known = last.value.holdings;
    const missing = unread === 'some' ? [...known.keys()] : unread;
    const kept = missing.flatMap((asset): [string, Holding][] => {
      if (holdings.has(asset)) return [];
      return [[asset, { ...(known.get(asset) ?? { asset, amount: undefined }), isStale: true }]];
    });
    return { ...reading, value: { holdings: new Map([...holdings, ...kept]), unread } };
  });
}
