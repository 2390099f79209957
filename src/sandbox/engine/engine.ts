// The exchange without HTTP: it admits orders, cancels them, fires kill switches and lists orders.
import type { Decimal } from '../../model/decimal.js';
import type { Books } from '../books.js';
import type { EngineTime } from '../clock.js';
import type { LedgerFill, LedgerOrder } from '../ledger.js';
import { Journal } from '../retention.js';
import { AccountEvents } from './account-events.js';
import type { BookOrder } from './book-order.js';
import { Cancels, notFound } from './cancels.js';
import { Collateral, MarginShortage, stopsOf } from './collateral.js';
import type { NewOrder, OpenPosition, OrderChanges, OrderIdentifier, OrderReference } from './engine-api.js';
import { FundingPayments } from './funding.js';
import { KillSwitches } from './kill-switches.js';
import type { MarketRecord } from './listing.js';
import { Markets, type MarketsOptions, type MarketView } from './markets.js';
import { AccountRisk, type CollateralAccount, Margin } from './margin.js';
import { OcoOrders } from './oco-orders.js';
import type { OrderBook } from './order-book.js';
import { OrderIntake } from './order-intake.js';
import { OrderLifecycle } from './order-lifecycle.js';
import { Orders } from './orders.js';
import { type PositionChange, Positions } from './positions.js';
import { RecordedEvents } from './recorded-events.js';
import { Reservations } from './reservations.js';
import { Settlement } from './settlement.js';

export interface EngineOptions extends Omit<MarketsOptions, 'now'> {
  readonly time: EngineTime;
  readonly books: Books;
}

/**
 * The exchange without HTTP. Every method first brings prices up to the clock's time; a broken rule throws
 * {@link Rejection}.
 */
export class Engine {
  readonly accountEvents: AccountEvents;
  readonly collateral: Collateral;
  readonly recorded: RecordedEvents;
  readonly #time: EngineTime;
  readonly #markets: Markets;
  readonly #orders = new Orders();
  readonly #hedged = new Set<string>();
  readonly #killSwitches: KillSwitches;
  readonly #positions: Positions;
  readonly #settlement: Settlement;
  readonly #risk: AccountRisk;
  readonly #margin: Margin;
  readonly #reservations: Reservations;
  readonly #lifecycle: OrderLifecycle;
  readonly #intake: OrderIntake;
  readonly #oco: OcoOrders;
  readonly #cancels: Cancels;
  readonly #shortage: MarginShortage;

  constructor({ time, books, ...options }: EngineOptions) {
    this.#time = time;
    this.accountEvents = new AccountEvents(time);
    this.#markets = new Markets({ ...options, now: () => time.now() });
    this.#killSwitches = new KillSwitches(time, this.#markets);
    const history = new Journal<PositionChange>();
    this.#positions = new Positions(time, history);
    this.#settlement = new Settlement(books, this.#positions, time, this.accountEvents);
    this.#risk = new AccountRisk(books, this.#positions, this.#markets);
    this.#margin = new Margin(books, this.#positions, this.#orders, this.#markets, this.#risk);
    this.#reservations = new Reservations(books);
    this.#lifecycle = new OrderLifecycle(
      time,
      this.#positions,
      this.#settlement,
      this.#orders,
      this.#reservations,
      this.accountEvents,
    );
    this.collateral = new Collateral({
      ...{ history, orders: this.#orders, positions: this.#positions, hedged: this.#hedged },
      ...{ lifecycle: this.#lifecycle, risk: this.#risk, payments: new FundingPayments(books, this.#positions) },
      perpetuals: options.listings.filter(({ type }) => type === 'futures').map(({ name }) => name),
      markets: this.#markets,
      onState: (account, state) => {
        if (state === undefined) return;
        this.accountEvents.positions(state === 'margin_call' ? 1 : 2, account, () => this.#openPositions(account));
      },
      advance: () => {
        this.advance();
      },
    });
    this.#intake = new OrderIntake({
      ...{ markets: this.#markets, orders: this.#orders, positions: this.#positions, lifecycle: this.#lifecycle },
      ...{ funds: { reservations: this.#reservations, margin: this.#margin }, hedged: this.#hedged },
    });
    this.#oco = new OcoOrders(this.#lifecycle, this.#orders, this.#margin, this.#intake);
    this.#cancels = new Cancels(this.#lifecycle, this.#orders, this.#markets);
    this.recorded = new RecordedEvents({
      ...{ markets: this.#markets, lifecycle: this.#lifecycle, time },
      onMove: (book, price) => {
        this.#priceMoved(book, price);
      },
    });
    this.#shortage = new MarginShortage(
      { risk: this.#risk, orders: this.#orders, lifecycle: this.#lifecycle, markets: this.#markets },
      this.#margin,
    );
  }

  get oco(): OcoOrders {
    this.advance();
    return this.#oco;
  }

  get cancels(): Cancels {
    this.advance();
    return this.#cancels;
  }

  get killSwitches(): KillSwitches {
    this.advance();
    return this.#killSwitches;
  }

  /** Whether no order is open, and no position. */
  get isIdle(): boolean {
    return this.#positions.isEmpty && this.#markets.isEmpty;
  }

  get orders(): readonly BookOrder[] {
    return this.#orders.kept;
  }

  get fills(): readonly LedgerFill[] {
    return this.#settlement.fills.entries;
  }

  place(account: string, order: NewOrder): LedgerOrder {
    this.advance();
    return this.#intake.place(account, order).view();
  }

  /** Cancels an open order and places it again, behind the others of its price. A rejected change leaves it open. */
  modify(account: string, market: string, reference: OrderReference, changes: OrderChanges): LedgerOrder {
    this.advance();
    return this.#intake.modify(this.#openOrder(account, market, reference), changes).view();
  }

  /** Throws a Rejection with code 2 and `errors.order_id` when no such order is open. */
  cancel(account: string, market: string, reference: OrderReference): LedgerOrder {
    this.advance();
    const order = this.#openOrder(account, market, reference);
    this.#lifecycle.finish(order, this.bookOf(market), order.canceledStatus);
    return order.view();
  }

  openOrders(account: string, identifier?: OrderIdentifier): LedgerOrder[] {
    this.advance();
    return this.#orders.list(account, true, identifier).map((order) => order.view());
  }

  history(account: string, identifier?: OrderIdentifier): LedgerOrder[] {
    this.advance();
    return this.#orders.list(account, false, identifier).map((order) => order.view());
  }

  deals(account: string): LedgerFill[] {
    this.advance();
    return this.#settlement.fills.of(account);
  }

  markets(): MarketRecord[] {
    return this.#markets.records();
  }

  views(): MarketView[] {
    this.advance();
    return this.#markets.views(this.#time.now(), (market) => this.#positions.openInterest(market));
  }

  setLeverage(account: string, leverage: number): number {
    this.advance();
    return this.#margin.setLeverage(account, leverage);
  }

  collateralAccount(account: string): CollateralAccount {
    this.advance();
    return this.#margin.status(account);
  }

  openPositions(account: string): OpenPosition[] {
    this.advance();
    return this.#openPositions(account);
  }

  #openPositions(account: string): OpenPosition[] {
    const liquidationState = this.#risk.stateOf(account);
    const { freeMargin } = this.#margin.status(account);
    return this.#positions.open(account).map((position) => ({
      position,
      margin: this.#margin.ofPosition(position),
      freeMargin,
      unrealizedPnl: this.#risk.profitOf(position),
      liquidationPrice: this.#risk.liquidationPrice(account, position.market),
      liquidationState,
      stops: stopsOf(this.bookOf(position.market), position).map((stop) => stop.view()),
    }));
  }

  frozen(account: string, asset: string): Decimal {
    return this.#reservations.frozen(account, asset);
  }

  isHedged(account: string): boolean {
    return this.#hedged.has(account);
  }

  setHedgeMode(account: string, enabled: boolean): void {
    if (enabled) this.#hedged.add(account);
    else this.#hedged.delete(account);
  }

  price(market: string): Decimal {
    return this.#markets.price(market);
  }

  setPrice(market: string, price: Decimal): void {
    this.advance();
    this.#markets.setPrice(market, price, this.#time.now(), (book) => {
      this.#priceMoved(book, price);
    });
  }

  bookOf(market: string): OrderBook {
    return this.#markets.book(market);
  }

  delist(market: string): void {
    this.advance();
    const book = this.bookOf(market);
    book.tradesEnabled = false;
    book.isDelisted = true;
    this.#cancels.delist(market);
  }

  forget(before: number): void {
    this.#orders.forget(before);
    this.#settlement.fills.forget(before);
    this.collateral.forget(before);
  }

  /** Moves every price to the clock's time and fires the kill switches that are due, each event at its own time. */
  advance(): void {
    this.recorded.catchUp();
    const now = this.#time.now();
    for (const killSwitch of this.#killSwitches.take(now)) {
      this.#moveTo(killSwitch.at);
      this.#time.during(killSwitch.at, () => {
        this.#cancels.all(killSwitch.account, killSwitch);
      });
    }
    this.#moveTo(now);
    this.#shortage.check();
  }

  #openOrder(account: string, market: string, reference: OrderReference): BookOrder {
    const order = this.#orders.findOpen(account, market, reference);
    if (order === undefined) throw notFound('order_id');
    return order;
  }

  #moveTo(now: number): void {
    this.#markets.moveTo(now, {
      onMove: (book, price, at) => {
        this.#time.during(at, () => {
          this.#priceMoved(book, price);
        });
      },
      onFunding: (book, settlement) => {
        this.#time.during(settlement.at, () => {
          this.collateral.settleFunding(book, settlement);
          this.#shortage.check();
        });
      },
    });
  }

  #priceMoved(book: OrderBook, price: Decimal): void {
    this.#lifecycle.priceMoved(book, price);
    this.collateral.priceMoved(book);
    this.#shortage.check();
  }
}
