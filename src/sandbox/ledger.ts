// What happened in the sandbox, exactly: every order, every fill, every balance change, every request. Tests read it; nothing rewrites it.
import { decimal, formatDecimal, type Decimal } from '../model/decimal.js';
import type { OrderSide, OrderStatus, OrderType, PositionSide, StpMode } from '../model/order.js';

/** The balances of an account: `main` is what the main balance endpoint shows, `trade` what spot orders spend, `collateral` what margins are taken from. */
export type Wallet = 'main' | 'trade' | 'collateral';

/** An order as the sandbox keeps it: the spec's names, and the statuses of the spec's first table whatever the dialect. */
export interface LedgerOrder {
  readonly account: string;
  readonly order_id: number;
  /** Empty when none was given. */
  readonly client_order_id: string;
  readonly market: string;
  readonly side: OrderSide;
  readonly type: OrderType;
  /** Whether it trades on collateral. */
  readonly collateral: boolean;
  /** Unix seconds, with microseconds. */
  readonly timestamp: number;
  /** When it ended, Unix seconds. */
  readonly ftime?: number;
  readonly amount: string;
  readonly left: string;
  readonly deal_stock: string;
  readonly deal_money: string;
  readonly deal_fee: string;
  /** `"0"` for market orders. */
  readonly price: string;
  readonly status: OrderStatus;
  readonly stp: StpMode;
  readonly postOnly: boolean;
  readonly ioc: boolean;
  readonly rpi: boolean;
  readonly reduceOnly: boolean;
  readonly positionSide?: PositionSide;
  /** Stop orders: 0 not yet triggered, 1 triggered. */
  readonly activated?: 0 | 1;
  readonly activationCondition?: 'lte' | 'gte';
  readonly activation_price?: string;
  readonly oto?: { readonly otoId: number; readonly stopLoss?: string; readonly takeProfit?: string };
}

/** A part of an order that was executed. */
export interface LedgerFill {
  readonly account: string;
  readonly order_id: number;
  readonly market: string;
  readonly side: OrderSide;
  readonly role: 'maker' | 'taker';
  readonly price: string;
  /** In the base currency. */
  readonly amount: string;
  /** In the quote currency. */
  readonly money: string;
  readonly fee: string;
  /** Unix ms. */
  readonly at: number;
}

/** A change of one balance. */
export interface BalanceChange {
  /** Unix ms. */
  readonly at: number;
  readonly account: string;
  readonly wallet: Wallet;
  readonly asset: string;
  readonly delta: string;
  /** The balance after. */
  readonly balance: string;
  readonly reason: 'deposit' | 'trade' | 'fee' | 'profit';
  readonly order_id?: number;
}

/** A request that arrived. Holds no secret. */
export interface RequestSeen {
  /** Unix ms. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Limit group; `undefined` for paths that do not exist. */
  readonly group: string | undefined;
  /** The account whose key signed it. */
  readonly account: string | undefined;
  readonly client_order_id: string | undefined;
  readonly nonce: string | undefined;
  /** HTTP status of the answer. */
  readonly status: number;
}

/** Balances by asset. */
export type Balances = Readonly<Record<string, string>>;

/** The sandbox's books. Read only. */
export interface Ledger {
  /** Every order accepted, as it stands now, oldest first. */
  readonly orders: readonly LedgerOrder[];
  readonly fills: readonly LedgerFill[];
  readonly balanceChanges: readonly BalanceChange[];
  readonly requests: readonly RequestSeen[];
  /** The balances of an account, default the first; zero balances left out. */
  balances(account?: string): Readonly<Record<Wallet, Balances>>;
  /** The largest number of accepted requests that any window of the group's length has held. */
  largestWindow(group: string): number;
}

/** The balances, and every change ever made to them. */
export class Books {
  readonly changes: BalanceChange[] = [];
  readonly #balances = new Map<string, Decimal>();

  constructor(private readonly now: () => number) {}

  balance(account: string, wallet: Wallet, asset: string): Decimal {
    return this.#balances.get(keyOf(account, wallet, asset)) ?? decimal(0);
  }

  /** Books a change; nothing when it is zero. */
  change(account: string, wallet: Wallet, asset: string, delta: Decimal, reason: BalanceChange['reason'], order_id?: number): void {
    if (delta.isZero()) return;
    const balance = this.balance(account, wallet, asset).plus(delta);
    this.#balances.set(keyOf(account, wallet, asset), balance);
    this.changes.push({
      at: this.now(),
      account,
      wallet,
      asset,
      delta: formatDecimal(delta),
      balance: formatDecimal(balance),
      reason,
      ...(order_id === undefined ? {} : { order_id }),
    });
  }

  /** All balances of one wallet that are not zero. */
  wallet(account: string, wallet: Wallet): Record<string, string> {
    const prefix = keyOf(account, wallet, '');
    return Object.fromEntries(
      [...this.#balances]
        .filter(([key, balance]) => key.startsWith(prefix) && !balance.isZero())
        .map(([key, balance]) => [key.slice(prefix.length), formatDecimal(balance)]),
    );
  }
}

function keyOf(account: string, wallet: Wallet, asset: string): string {
  return JSON.stringify([account, wallet]) + asset;
}
