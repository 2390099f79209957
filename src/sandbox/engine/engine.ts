// The exchange itself, without HTTP: orders come in, trade, rest, wait for their trigger, and end.
import { decimal, type Decimal } from '../../model/decimal.js';
import { apiErrorCodes } from '../../model/error-body.js';
import type { OrderSide } from '../../model/order.js';
import type { Books, LedgerFill, LedgerOrder } from '../ledger.js';
import { PriceWalk } from '../price.js';
import { innerValidationMessage, invalid, Refusal } from '../refusal.js';
import { admitAmounts, admitMarket, notEnoughBalance } from './admission.js';
import type { BookOrder } from './book-order.js';
import { Desk } from './desk.js';
import type { EngineApi, KillSwitchTimes, NewOrder, OrderIdentifier, OrderReference } from './engine-api.js';
import type { EngineTime } from './engine-time.js';
import { KillSwitches, killSwitchTypeOf, type KillSwitch, type KillSwitchType } from './kill-switches.js';
import { marketRecord, type Listing, type MarketRecord } from './listing.js';
import { Margin } from './margin.js';
import { OrderBook } from './order-book.js';
import { Orders } from './orders.js';
import { Positions } from './positions.js';
import { Settlement } from './settlement.js';

export interface EngineOptions {
  readonly time: EngineTime;
  readonly books: Books;
  readonly listings: readonly Listing[];
  readonly seed: number;
  readonly tickMs: number;
  readonly volatility: number;
}

/** A stop order to put in by hand: no endpoint of the spec makes one. */
export interface StopOrder {
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** `buy` or `sell`. */
  readonly side: OrderSide;
  /** What it becomes when the market reaches its activation price: a limit order or a market order. */
  readonly type: 'stop limit' | 'stop market';
  /** Decimal string. */
  readonly amount: string;
  /** Stop limit orders: the limit price. */
  readonly price?: string;
  /** The price of the market that activates it, a decimal string. */
  readonly activation_price: string;
  /** Default: `gte` when the activation price is above the market's, else `lte`. */
  readonly activationCondition?: 'lte' | 'gte';
  /** Your identifier of it. Default: none. */
  readonly client_order_id?: string;
}

export class Engine implements EngineApi {
  readonly #time: EngineTime;
  readonly #markets = new Map<string, { readonly book: OrderBook; readonly walk: PriceWalk }>();
  readonly #orders = new Orders();
  readonly #hedged = new Set<string>();
  readonly #killSwitches = new KillSwitches();
  readonly #positions = new Positions();
  readonly #settlement: Settlement;
  readonly #margin: Margin;
  readonly #desk: Desk;

  constructor({ time, books, listings, seed, tickMs, volatility }: EngineOptions) {
    this.#time = time;
    this.#settlement = new Settlement(books, this.#positions, () => time.now());
    this.#margin = new Margin(
      books,
      this.#positions,
      (account) => this.#openCollateral(account),
      (market) => this.bookOf(market).listing,
    );
    this.#desk = new Desk(time, this.#positions, this.#settlement, this.#orders);
    for (const [index, listing] of listings.entries()) {
      const places = Math.max(listing.moneyPrec, 0);
      const walk = new PriceWalk({
        start: listing.startPrice,
        places,
        volatility,
        tickMs,
        seed: seed + index,
        from: time.now(),
      });
      this.#markets.set(listing.name, { book: new OrderBook(listing), walk });
    }
  }

  get orders(): readonly BookOrder[] {
    return this.#orders.kept;
  }

  get fills(): readonly LedgerFill[] {
    return this.#settlement.fills.entries;
  }

  place(account: string, order: NewOrder): LedgerOrder {
    this.advance();
    const collateral = order.type === 'limit';
    const book = admitMarket(this.#markets.get(order.market)?.book, collateral);
    const { listing } = book;
    const mid = this.price(order.market);
    this.#admitIdentifier(account, order);
    admitAmounts(order, listing, mid);

    const entry = this.#desk.open(
      order.type === 'limit'
        ? this.#collateralOrder(account, order)
        : { ...order, account, collateral, amount: decimal(order.amount), price: decimal(0) },
    );
    const plan = this.#desk.plan(entry, book, mid);
    if ((entry.init.postOnly === true || entry.init.rpi === true) && plan.fills.length > 0) {
      const field = entry.init.rpi === true ? 'rpi' : 'postOnly';
      throw new Refusal(422, apiErrorCodes.wouldTake, innerValidationMessage, {
        [field]: ['The order would be executed as taker.'],
      });
    }
    const money = plan.fills.reduce((sum, fill) => sum.plus(fill.money), decimal(0));
    const payable = collateral ? this.#margin.canTake(entry, listing) : this.#settlement.canPay(entry, listing, money);
    if (!payable) throw collateral ? Margin.notEnoughBalance() : notEnoughBalance();

    this.#desk.enter(entry, book, plan);
    return entry.view();
  }

  placeStop(account: string, stop: StopOrder): LedgerOrder {
    this.advance();
    const book = admitMarket(this.#markets.get(stop.market)?.book, false);
    const price = decimal(stop.activation_price);
    const condition = stop.activationCondition ?? (price.isGreaterThan(this.price(stop.market)) ? 'gte' : 'lte');
    const entry = this.#desk.open({
      account,
      market: stop.market,
      side: stop.side,
      type: stop.type,
      collateral: false,
      client_order_id: stop.client_order_id ?? '',
      amount: decimal(stop.amount),
      price: decimal(stop.price ?? '0'),
      stp: 'no',
      stop: { condition, price },
    });
    this.#desk.wait(entry, book);
    this.#desk.priceMoved(book, this.price(stop.market));
    return entry.view();
  }

  cancel(account: string, market: string, key: OrderReference): LedgerOrder {
    this.advance();
    const order = this.#orders.kept.findLast(
      ({ init, isOpen }) =>
        isOpen &&
        init.account === account &&
        init.market === market &&
        ('order_id' in key ? init.order_id === key.order_id : init.client_order_id === key.client_order_id),
    );
    if (order === undefined) {
      throw new Refusal(422, apiErrorCodes.orderNotFound, innerValidationMessage, {
        order_id: ['Unexecuted order was not found.'],
      });
    }
    this.#desk.finish(order, this.bookOf(market), order.canceledStatus);
    return order.view();
  }

  setKillSwitch(
    account: string,
    market: string,
    seconds: number | undefined,
    types?: readonly KillSwitchType[],
  ): KillSwitchTimes | undefined {
    this.advance();
    admitMarket(this.#markets.get(market)?.book, false);
    if (seconds === undefined) {
      this.#killSwitches.remove(account, market);
      return undefined;
    }
    const now = this.#time.now();
    const at = now + seconds * 1000;
    this.#killSwitches.set({ account, market, types, at });
    return { startTime: Math.floor(now / 1000), cancellationTime: Math.floor(at / 1000) };
  }

  openOrders(account: string, identifier?: OrderIdentifier): LedgerOrder[] {
    this.advance();
    return this.#of(account, true, identifier);
  }

  history(account: string, identifier?: OrderIdentifier): LedgerOrder[] {
    this.advance();
    return this.#of(account, false, identifier);
  }

  markets(): MarketRecord[] {
    return [...this.#markets.values()].map(({ book }) => marketRecord(book.listing, book.tradesEnabled));
  }

  setLeverage(account: string, leverage: number): number {
    this.advance();
    return this.#margin.setLeverage(account, leverage);
  }

  setHedgeMode(account: string, enabled: boolean): void {
    if (enabled) this.#hedged.add(account);
    else this.#hedged.delete(account);
  }

  price(market: string): Decimal {
    return this.#marketOf(market).walk.price;
  }

  setPrice(market: string, price: Decimal): void {
    this.advance();
    const { book, walk } = this.#marketOf(market);
    walk.set(price);
    this.#desk.priceMoved(book, price);
  }

  bookOf(market: string): OrderBook {
    return this.#marketOf(market).book;
  }

  /** Forgets the orders that ended, and what was executed, before: Unix ms. */
  forget(before: number): void {
    this.#orders.forget(before);
    this.#settlement.fills.forget(before);
  }

  /**
   * Lets every price move to the clock's time, and what depends on it or is due by then happen, each at its own time.
   */
  advance(): void {
    const now = this.#time.now();
    for (const killSwitch of this.#killSwitches.take(now)) {
      this.#moveTo(killSwitch.at);
      this.#time.during(killSwitch.at, () => {
        this.#fire(killSwitch);
      });
    }
    this.#moveTo(now);
  }

  /**
   * Takes the steps of all markets that are due by `now`, the earliest first: what is booked is booked in the order of
   * time.
   */
  #moveTo(now: number): void {
    const walks = [...this.#markets.values()].map(({ book, walk }) => {
      const steps = walk.steps(now);
      return { book, walk, steps, next: steps.next().value };
    });
    for (;;) {
      let earliest: { readonly at: number; readonly index: number } | undefined;
      for (const [index, { next }] of walks.entries()) {
        if (next !== undefined && (earliest === undefined || next.at < earliest.at)) earliest = { at: next.at, index };
      }
      const moving = earliest === undefined ? undefined : walks[earliest.index];
      if (moving?.next === undefined) return;
      moving.next.take();
      this.#time.during(moving.next.at, () => {
        this.#desk.priceMoved(moving.book, moving.walk.price);
      });
      moving.next = moving.steps.next().value;
    }
  }

  #fire({ account, market, types }: KillSwitch): void {
    const book = this.bookOf(market);
    for (const order of this.#orders.kept) {
      const isMeant = order.isOpen && order.init.account === account && order.init.market === market;
      if (isMeant && types?.includes(killSwitchTypeOf(order.init)) !== false)
        this.#desk.finish(order, book, order.canceledStatus);
    }
  }

  #collateralOrder(account: string, order: NewOrder & { readonly type: 'limit' }) {
    const { stopLoss, takeProfit } = order;
    const hedged = this.#hedged.has(account);
    if (hedged && order.positionSide !== 'LONG' && order.positionSide !== 'SHORT') {
      throw invalid(422, 114, 'positionSide', 'Position side must be LONG or SHORT in hedge mode.');
    }
    const positionSide = hedged ? order.positionSide : undefined;
    const reducible = this.#positions.reducible({ ...order, account, positionSide });
    if (order.reduceOnly && reducible.isZero()) throw Margin.nothingToReduce();
    const asked = decimal(order.amount);
    const amount = order.reduceOnly && asked.isGreaterThan(reducible) ? reducible : asked;
    const oto =
      stopLoss === undefined && takeProfit === undefined ? undefined : this.#desk.newOto(stopLoss, takeProfit);
    return { ...order, account, collateral: true, amount, price: decimal(order.price), positionSide, oto };
  }

  /** Unique among the account's open orders of the market. */
  #admitIdentifier(account: string, identifier: OrderIdentifier): void {
    if (this.#orders.identifiedBy(account, identifier).some(({ isOpen }) => isOpen)) {
      throw invalid(
        422,
        apiErrorCodes.clientOrderId,
        'client_order_id',
        'This client order id is already used by the current account.',
      );
    }
  }

  #of(account: string, open: boolean, identifier?: OrderIdentifier): LedgerOrder[] {
    const among = identifier === undefined ? this.#orders.kept : this.#orders.identifiedBy(account, identifier);
    return among
      .filter((order) => order.init.account === account && order.isOpen === open)
      .map((order) => order.view())
      .reverse();
  }

  #openCollateral(account: string): BookOrder[] {
    return this.#orders.kept.filter(({ init, isOpen }) => isOpen && init.account === account && init.collateral);
  }

  #marketOf(market: string) {
    const found = this.#markets.get(market);
    if (found === undefined) throw new Error(`the sandbox has no market ${market}`);
    return found;
  }
}
