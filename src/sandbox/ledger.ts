// The ledger as tests read it: every order, fill, balance change and request of the sandbox.
import type { OrderSide, OrderStatus, OrderType, PositionSide, StpMode } from '../model/order.js';
import type { FaultKind } from './faults/index.js';
import type { LiveFaultKind } from './live/live-fault.js';

/**
 * A wallet of an account: the main balance endpoint shows `main`, spot orders spend `trade`, and the margin of
 * collateral orders comes from `collateral`.
 */
export type Wallet = 'main' | 'trade' | 'collateral';

/** An order with the spec's field names and the statuses of the spec's first table. */
export interface LedgerOrder {
  /** Name of the account. */
  readonly account: string;
  /** The exchange's ID of the order. */
  readonly order_id: number;
  /** The client order ID of the request; empty without one. */
  readonly client_order_id: string;
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** `buy` or `sell`. */
  readonly side: OrderSide;
  /** The order type. */
  readonly type: OrderType;
  /** Whether the order trades on collateral. */
  readonly collateral: boolean;
  /** When the order was placed, Unix seconds with microseconds. */
  readonly timestamp: number;
  /** When the order was last placed, filled, triggered or ended, Unix seconds. */
  readonly mtime: number;
  /** When the order ended, Unix seconds with microseconds; absent while it is open. */
  readonly ftime?: number;
  /** Amount in the base currency; of a spot `market` or `stop market` order that buys, in the quote currency. */
  readonly amount: string;
  /** Amount that is not filled, in the currency of `amount`. */
  readonly left: string;
  /** Filled amount in the base currency. */
  readonly deal_stock: string;
  /** Filled amount in the quote currency. */
  readonly deal_money: string;
  /** Fee of the filled amount, in the quote currency. */
  readonly deal_fee: string;
  /** Limit price in the quote currency; `"0"` for market orders. */
  readonly price: string;
  /** The status. */
  readonly status: OrderStatus;
  /** Mode of self-trade prevention. */
  readonly stp: StpMode;
  /** Whether the order may execute as maker only. */
  readonly postOnly: boolean;
  /** Whether the order is immediate-or-cancel. */
  readonly ioc: boolean;
  /** Whether the order is a Retail Price Improvement order. */
  readonly rpi: boolean;
  /** Whether the order is a retail order, which may match Retail Price Improvement orders. */
  readonly retail: boolean;
  /** Whether the order can only reduce or close a position. */
  readonly reduceOnly: boolean;
  /** In hedge mode: the side of the order's position. */
  readonly positionSide?: PositionSide;
  /** Stop orders: 1 once triggered, 0 before. */
  readonly activated?: 0 | 1;
  /** Stop orders: triggered at or below (`lte`), or at or above (`gte`), `activation_price`. */
  readonly activationCondition?: 'lte' | 'gte';
  /** Stop orders: the trigger price. */
  readonly activation_price?: string;
  /** The two orders of an OCO order: the exchange's ID of that OCO order. */
  readonly ocoId?: number;
  /** Collateral orders with a stop loss or take profit: the linked order. */
  readonly oto?: {
    /** The exchange's ID of the linked order. */
    readonly otoId: number;
    /** Price of the stop loss. */
    readonly stopLoss?: string;
    /** Price of the take profit. */
    readonly takeProfit?: string;
  };
}

/** An execution of a part of an order. */
export interface LedgerFill {
  /** The exchange's ID of the trade, which the fills of taker and maker share. */
  readonly id: number;
  /** Name of the account. */
  readonly account: string;
  /** The order. */
  readonly order_id: number;
  /** The client order ID of the order; empty without one. */
  readonly client_order_id: string;
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** `buy` or `sell`. */
  readonly side: OrderSide;
  /** `maker`: the order rested in the book. `taker`: the order matched on arrival. */
  readonly role: 'maker' | 'taker';
  /** The quote currency: that of `price`, `money` and `fee`. */
  readonly currency: string;
  /** Execution price, in the quote currency. */
  readonly price: string;
  /** Executed amount, in the base currency. */
  readonly amount: string;
  /** Executed amount times price, in the quote currency. */
  readonly money: string;
  /** The fee, in the quote currency. */
  readonly fee: string;
  /** Time by the sandbox's clock, Unix milliseconds. */
  readonly at: number;
}

/** A trade of a market: of an account, or of the sandbox itself. */
export interface SandboxTrade {
  /** The exchange's ID of the trade; grows with time, and numbers the trades of all markets. */
  readonly id: number;
  /** Time by the sandbox's clock, Unix milliseconds. */
  readonly at: number;
  /** The taker's side. */
  readonly side: OrderSide;
  /** In the quote currency. */
  readonly price: string;
  /** In the base currency. */
  readonly amount: string;
  /** Amount times price, in the quote currency. */
  readonly money: string;
  /** Whether the maker's order is a Retail Price Improvement order. */
  readonly rpi: boolean;
  /** The taker's order; absent when the sandbox itself was the taker. */
  readonly taker_order_id?: number;
  /** The maker's order; absent when the sandbox itself was the maker. */
  readonly maker_order_id?: number;
}

/** A change of one balance. */
export interface LedgerEntry {
  /** Time by the sandbox's clock, Unix milliseconds. */
  readonly at: number;
  /** Name of the account. */
  readonly account: string;
  /** The wallet of the balance. */
  readonly wallet: Wallet;
  /** Ticker, such as `BTC`. */
  readonly asset: string;
  /** The amount added; negative when the balance decreased. */
  readonly delta: string;
  /** The balance after the change. */
  readonly balance: string;
  /**
   * `deposit`: an opening balance or {@link SandboxAccount.deposit}. `trade`: the assets bought and sold. `fee`: the
   * fee of a fill. `profit`: the profit of a position that was reduced or closed, negative for a loss. `funding`: what a
   * position in a perpetual paid, negative, or received at a settlement of the funding rate.
   * `transfer`: between the wallets of an account, negative when it is queued. `withdrawal`: negative, or given back. The
   * others: what a code, a refund, a conversion, an investment, its interest, the mining pool or another account of the user
   * moved.
   */
  readonly reason:
    | 'deposit'
    | 'trade'
    | 'fee'
    | 'profit'
    | 'funding'
    | 'transfer'
    | 'withdrawal'
    | 'code'
    | 'refund'
    | 'conversion'
    | 'investment'
    | 'interest'
    | 'mining'
    | 'sub-account';
  /** The order that caused the change; absent for deposits and funding. */
  readonly order_id?: number;
  /** The market of funding; absent for the others. */
  readonly market?: string;
}

/** A request that a client sent to the sandbox, whether it arrived or not. Contains no secret. */
export interface LedgerRequest {
  /**
   * Arrival by the sandbox's clock, Unix milliseconds. Of a request that was lost, or that `late-arrival` keeps in
   * flight: when it was sent.
   */
  readonly at: number;
  /** HTTP method. Every string of the client is cut to 255 characters and `…` when it has more than 256 characters. */
  readonly method: string;
  /** Path, without the query. */
  readonly path: string;
  /** The account whose key signed the request. */
  readonly account: string | undefined;
  /** The client order ID of the body, if a key of the sandbox signed the request. */
  readonly client_order_id: string | undefined;
  /** The nonce of the body, if a key of the sandbox signed the request. */
  readonly nonce: string | undefined;
  /**
   * HTTP status of the response, also when a fault kept the response from the client. `undefined` while the request is
   * handled, when a fault kept it from the exchange, until a `late-arrival` arrives, and until a `late-execution` is
   * executed.
   */
  readonly status: number | undefined;
  /** The fault that the request met, if any. */
  readonly fault?: FaultKind;
  /** The order that the request placed or canceled. */
  readonly order_id?: number;
}

/** Balances by asset. */
export type Balances = Readonly<Record<string, string>>;

/** A request on a connection of the real-time interface. */
export interface LedgerLiveRequest {
  /** Arrival by the sandbox's clock, Unix milliseconds. */
  readonly at: number;
  /** The connection, counted from 1. */
  readonly connection: number;
  /** The method, cut to 256 characters. */
  readonly method: string;
  /** The parameters, without a token; `undefined` when they have more than 16384 characters as JSON. */
  readonly params: readonly unknown[] | undefined;
  /** The account that the connection is authorized for, if any. */
  readonly account?: string;
  /** The code of the rejection; absent when the request was accepted. */
  readonly code?: number;
  /** The fault that the request met, if any. */
  readonly fault?: LiveFaultKind;
}

/** A change of an order, as `ordersPending` sends it. */
export interface LedgerOrderEvent {
  /** Time by the sandbox's clock, Unix milliseconds. */
  readonly at: number;
  /** 1: the order is open, or was triggered. 2: it was filled in part. 3: it ended. */
  readonly event: 1 | 2 | 3;
  /** The order after the change. */
  readonly order: LedgerOrder;
}

/** An amount at a price, decimal strings. */
export type LedgerLevel = readonly [price: string, amount: string];

/** The levels of an order book. */
export interface LedgerBook {
  /** Best first. */
  readonly asks: readonly LedgerLevel[];
  /** Best first. */
  readonly bids: readonly LedgerLevel[];
}

/** The record of the real-time interface. */
export interface LiveLedger {
  /** Connections that are open now. */
  readonly openConnections: number;
  /** The maximum number of connections that were open at once. */
  readonly maxOpenConnections: number;
  /** Connections that were ever opened. */
  readonly connectionCount: number;
  /** Every request, oldest first. */
  readonly requests: readonly LedgerLiveRequest[];
  /**
   * The changes of orders, oldest first, whether they were sent or not: of each account since its first connection was
   * authorized. What `deals` has to send are the fills of the ledger.
   */
  readonly orderEvents: readonly LedgerOrderEvent[];
  /** The values that were sent, counted by channel; faults do not count. */
  readonly pushes: Readonly<Record<string, number>>;
  /**
   * The order book of a market at an update ID that a client was sent, with at most `limit` levels of each side.
   * Default: all levels. `undefined` for a state that is not among the newest 1000 of all markets.
   */
  bookAt(market: string, updateId: number, limit?: number): LedgerBook | undefined;
}

/** The record of everything that happened in the sandbox, as far back as its `retentionMs`. Read only. */
export interface Ledger {
  /** Every accepted order in its current state, oldest first. */
  readonly orders: readonly LedgerOrder[];
  /** Every execution, oldest first. */
  readonly fills: readonly LedgerFill[];
  /** Every change of a balance, oldest first. */
  readonly balanceChanges: readonly LedgerEntry[];
  /** Every request, including those that a fault lost, oldest first. */
  readonly requests: readonly LedgerRequest[];
  /** The connections, requests and values of the real-time interface. */
  readonly live: LiveLedger;
  /** The balances of an account, except zero balances. Default: the first account. */
  balances(account?: string): Readonly<Record<Wallet, Balances>>;
  /**
   * The price of the last trade of a market at a time, Unix milliseconds by the sandbox's clock, in the quote currency.
   * Default: now. A time before the newest 10,000 trades is rounded down to a minute. `undefined` before the first trade
   * that is kept. Throws for an unknown market.
   */
  priceAt(market: string, at?: number): string | undefined;
  /**
   * The maximum number of accepted requests that any window of a rate limit has held: that of an endpoint, by its path,
   * or a combined one, `public`, `mainAccount` or `orders`. Throws for any other.
   */
  maxRequestsInWindow(rateLimit: string): number;
}
