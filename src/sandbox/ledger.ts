// What happened in the sandbox, exactly: every order, every fill, every balance change, every request, as far back as
// it is kept. Tests read it; nothing rewrites it.
import { decimal, formatDecimal, type Decimal } from '../model/decimal.js';
import type { OrderSide, OrderStatus, OrderType, PositionSide, StpMode } from '../model/order.js';
import type { FaultKind } from './http/faults.js';
import { Journal } from './retention.js';

/**
 * The balances of an account: `main` is what the main balance endpoint shows, `trade` what spot orders spend,
 * `collateral` what margins are taken from.
 */
export type Wallet = 'main' | 'trade' | 'collateral';

/**
 * An order as the sandbox keeps it: the spec's names, and the statuses of the spec's first table whatever the dialect.
 */
export interface LedgerOrder {
  /** Name of the account. */
  readonly account: string;
  /** The exchange's number of the order. */
  readonly order_id: number;
  /** The identifier from the request; empty when none was given. */
  readonly client_order_id: string;
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** `buy` or `sell`. */
  readonly side: OrderSide;
  /** What kind of order it is. */
  readonly type: OrderType;
  /** Whether it trades on collateral. */
  readonly collateral: boolean;
  /** When it was placed, Unix seconds, with microseconds. */
  readonly timestamp: number;
  /** When it ended, Unix seconds. */
  readonly ftime?: number;
  /** Quantity in the base currency; in the quote currency for a `market` order that buys. */
  readonly amount: string;
  /** Quantity not filled, in the currency of `amount`. */
  readonly left: string;
  /** Filled amount in the base currency. */
  readonly deal_stock: string;
  /** Filled amount in the quote currency. */
  readonly deal_money: string;
  /** Fee paid for the filled part, in the quote currency. */
  readonly deal_fee: string;
  /** Limit price in the quote currency; `"0"` for market orders. */
  readonly price: string;
  /** Where it stands. */
  readonly status: OrderStatus;
  /** Self-trade prevention. */
  readonly stp: StpMode;
  /** It executes only as maker. */
  readonly postOnly: boolean;
  /** Immediate or cancel. */
  readonly ioc: boolean;
  /** Retail Price Improvement. */
  readonly rpi: boolean;
  /** It can only reduce or close a position. */
  readonly reduceOnly: boolean;
  /** In hedge mode: the side of its position. */
  readonly positionSide?: PositionSide;
  /** Stop orders: 0 not yet triggered, 1 triggered. */
  readonly activated?: 0 | 1;
  /** Stop orders: activates at or below (`lte`), or at or above (`gte`), `activation_price`. */
  readonly activationCondition?: 'lte' | 'gte';
  /** Stop orders: the price that activates it. */
  readonly activation_price?: string;
  /** Collateral limit orders with a stop loss or take profit: the linked order. */
  readonly oto?: {
    /** The exchange's number of the linked order. */
    readonly otoId: number;
    /** Price of the stop loss. */
    readonly stopLoss?: string;
    /** Price of the take profit. */
    readonly takeProfit?: string;
  };
}

/** A part of an order that was executed. */
export interface LedgerFill {
  /** Name of the account. */
  readonly account: string;
  /** The order it is a part of. */
  readonly order_id: number;
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** `buy` or `sell`. */
  readonly side: OrderSide;
  /** `maker`: the order rested. `taker`: it came and matched. */
  readonly role: 'maker' | 'taker';
  /** The price it was executed at, in the quote currency. */
  readonly price: string;
  /** What was traded, in the base currency. */
  readonly amount: string;
  /** What was traded, in the quote currency. */
  readonly money: string;
  /** The fee, in the quote currency. */
  readonly fee: string;
  /** When, Unix ms by the sandbox's clock. */
  readonly at: number;
}

/** A change of one balance. */
export interface LedgerEntry {
  /** When, Unix ms by the sandbox's clock. */
  readonly at: number;
  /** Name of the account. */
  readonly account: string;
  /** Which of its balances. */
  readonly wallet: Wallet;
  /** Ticker, such as `BTC`. */
  readonly asset: string;
  /** What was added; negative for what was taken. */
  readonly delta: string;
  /** The balance after. */
  readonly balance: string;
  /**
   * `deposit`: by hand. `trade`: what was bought or paid. `fee`: of a fill. `profit`: of a position that was reduced or
   * closed; negative for a loss.
   */
  readonly reason: 'deposit' | 'trade' | 'fee' | 'profit';
  /** The order it comes of; absent for deposits. */
  readonly order_id?: number;
}

/** A request that was sent to the sandbox, whether it arrived or not. Holds no secret. */
export interface RequestSeen {
  /**
   * When it arrived, Unix ms by the sandbox's clock; of one that was lost, or is in flight because it met `late`, when
   * it was sent.
   */
  readonly at: number;
  /**
   * HTTP method; like every text of the client's, cut after 255 characters with an ellipsis when it has more than 256.
   */
  readonly method: string;
  /** Path, without the query. */
  readonly path: string;
  /** Limit group; `undefined` for paths that do not exist. */
  readonly group: string | undefined;
  /** The account whose key signed it. */
  readonly account: string | undefined;
  /** The identifier in its body, when there was one and a key of the sandbox signed it. */
  readonly client_order_id: string | undefined;
  /** Its nonce, when there was one and a key of the sandbox signed it. */
  readonly nonce: string | undefined;
  /**
   * HTTP status of the exchange's or its gateway's response, also when a fault kept the client from getting it.
   * `undefined` for a request that a fault kept from the exchange, for one of `late` until it arrives, and for one of
   * `delayed` until it is executed.
   */
  readonly status: number | undefined;
  /** The fault that it met, if any. */
  readonly fault?: FaultKind;
  /** The order that it placed or canceled. */
  readonly order_id?: number;
}

/** Balances by asset. */
export type Balances = Readonly<Record<string, string>>;

/** The sandbox's books, as far back as its `retentionMs`. Read only. */
export interface Ledger {
  /** Every order accepted, as it stands now, oldest first. */
  readonly orders: readonly LedgerOrder[];
  /** Every part of an order that was executed, oldest first. */
  readonly fills: readonly LedgerFill[];
  /** Every change of a balance, oldest first. */
  readonly balanceChanges: readonly LedgerEntry[];
  /** Every request that was sent, also those that a fault lost, oldest first. */
  readonly requests: readonly RequestSeen[];
  /** The balances of an account, default the first; zero balances left out. */
  balances(account?: string): Readonly<Record<Wallet, Balances>>;
  /**
   * The largest number of accepted requests that any window of the group's length has held. `group` is the name of a
   * limit, or the path of a route of your own that has no `group`; throws for any other.
   */
  largestWindow(group: string): number;
}

/** The balances, and every change made to them. */
export class Books {
  readonly changes = new Journal<LedgerEntry>();
  readonly #balances = new Map<string, Decimal>();

  constructor(private readonly now: () => number) {}

  balance(account: string, wallet: Wallet, asset: string): Decimal {
    return this.#balances.get(keyOf(account, wallet, asset)) ?? decimal(0);
  }

  /** Books a change; nothing when it is zero. */
  change(
    account: string,
    wallet: Wallet,
    asset: string,
    delta: Decimal,
    reason: LedgerEntry['reason'],
    order_id?: number,
  ): void {
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
