// What an account holds, as its ledger, its live values and REST say it: equal when nothing is missing.
import type { Exchange, Position, TradeBalance } from 'exchange-rx';
import type { Ledger } from 'exchange-rx/sandbox';
import { combineLatest, forkJoin, map, type Observable, type ObservedValueOf } from 'rxjs';
import { isOpen } from '../../src/model/order.js';
import { decimal, formatDecimal } from '../../src/model/decimal.js';

type Amounts = Readonly<Record<string, string>>;

/** Amounts without zeros, each under its name, in the order of the names. */
export interface AccountView {
  /** What is available and frozen together, by asset. */
  readonly spot: Amounts;
  /** By asset. */
  readonly collateral: Amounts;
  /** By market; negative when short. */
  readonly positions: Amounts;
  /** What is left of each open order, by `order_id`. */
  readonly open: Amounts;
}

export type LiveAccount = ObservedValueOf<ReturnType<typeof liveAccount>>;

export function viewOfLedger(ledger: Ledger): AccountView {
  const { orders, fills } = ledger;
  const { trade, collateral } = ledger.balances();
  const ofCollateral = new Set(orders.flatMap((order) => (order.collateral ? [order.order_id] : [])));
  return {
    spot: amounts(Object.entries(trade)),
    collateral: amounts(Object.entries(collateral)),
    positions: amounts(
      fills
        .filter(({ order_id }) => ofCollateral.has(order_id))
        .map(({ market, side, amount }) => [market, side === 'buy' ? amount : `-${amount}`]),
    ),
    open: amounts(orders.filter(isOpen).map(({ order_id, left }) => [String(order_id), left])),
  };
}

export function viewOfLive({ balances, marginBalances, positions, openOrders }: LiveAccount): AccountView {
  return {
    spot: amountsOfSpot(balances.value),
    collateral: amounts(Object.values(marginBalances.value).map(({ asset, balance = '0' }) => [asset, balance])),
    positions: amountsOf(positions.value),
    open: amounts(openOrders.orders.map(({ order_id, left }) => [String(order_id), left])),
  };
}

/** The account as REST has it, with the open orders of these markets. */
export function readView({ spot, collateral, orders }: Exchange, markets: readonly string[]): Observable<AccountView> {
  return forkJoin({
    spot: spot.balance().pipe(map(amountsOfSpot)),
    collateral: collateral.balance().pipe(map((balance) => amounts(Object.entries(balance)))),
    positions: collateral.openPositions().pipe(map(amountsOf)),
    open: forkJoin(markets.map((market) => orders.open({ market, limit: 100 }))).pipe(
      map((lists) => amounts(lists.flat().map(({ order_id, left }) => [String(order_id), left]))),
    ),
  });
}

/** The live values whenever one has changed, once there is one of each. */
export function liveAccount({ live }: Exchange, markets: readonly string[]) {
  return combineLatest({
    balances: live.my.balances(),
    marginBalances: live.my.marginBalances(),
    positions: live.my.positions(),
    openOrders: live.my.openOrders({ markets }),
  });
}

/** Whether each value is live, and the end of no order is unknown. */
export function isLive(account: LiveAccount): boolean {
  return Object.values(account).every(({ status }) => status === 'live') && account.openOrders.unknown.length === 0;
}

function amountsOfSpot(balance: TradeBalance): Amounts {
  return amounts(
    Object.entries(balance).flatMap(([asset, { available, freeze = '0' }]) => [
      [asset, available],
      [asset, freeze],
    ]),
  );
}

function amountsOf(positions: readonly Position[]): Amounts {
  return amounts(positions.map(({ market, amount }) => [market, amount]));
}

function amounts(entries: readonly (readonly [name: string, amount?: string | undefined])[]): Amounts {
  const sums = new Map<string, string>();
  for (const [name, amount = '0'] of entries)
    sums.set(name, formatDecimal(decimal(sums.get(name) ?? '0').plus(amount)));
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== '0').toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
