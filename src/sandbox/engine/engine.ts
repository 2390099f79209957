// The exchange without HTTP: it admits orders, cancels them, fires kill switches and lists orders.
import type { Decimal } from '../../model/decimal.js';
import type { Books } from '../books.js';
import type { EngineTime } from '../clock.js';
import type { LedgerFill, LedgerOrder } from '../ledger.js';
import type { Journal } from '../retention.js';
import { AccountEvents } from './account-events.js';
import type { BookOrder } from './book-order.js';
import { Cancels, notFound } from './cancels.js';
import { Collateral } from './collateral.js';
import type { NewOrder, OrderChanges, OrderReference } from './engine-api.js';
import { KillSwitches } from './kill-switches.js';
import { Markets, type MarketsOptions, type MarketView } from './markets.js';
import { Margin } from './margin.js';
import { OcoOrders } from './oco-orders.js';
import { OrderIntake } from './order-intake.js';
import { OrderLifecycle } from './order-lifecycle.js';
import { Orders } from './orders.js';
import { Positions } from './positions.js';
import { RecordedEvents } from './recorded-events.js';
import { Reservations } from './reservations.js';

export interface EngineOptions extends MarketsOptions {
  readonly books: Books;
}

/** What it does for an account first brings prices up to the clock's time; a broken rule throws {@link Rejection}. */
export class Engine {
  readonly accountEvents: AccountEvents;
  readonly markets: Markets;
  readonly orders = new Orders();
  readonly positions: Positions;
  readonly recorded: RecordedEvents;
  readonly #time: EngineTime;
  readonly #killSwitches: KillSwitches;
  readonly #margin: Margin;
  readonly #reservations: Reservations;
  readonly #lifecycle: OrderLifecycle;
  readonly #intake: OrderIntake;
  readonly #oco: OcoOrders;
  readonly #cancels: Cancels;
  readonly #collateral: Collateral;

  constructor({ books, ...options }: EngineOptions) {
    const { time } = options;
    const { orders } = this;
    const markets = new Markets(options);
    const positions = new Positions(time);
    const events = new AccountEvents(time);
    const reservations = new Reservations(books);
    const margin = new Margin(books, positions, orders, markets);
    const lifecycle = new OrderLifecycle(time, books, positions, orders, reservations, events);
    const collateral = new Collateral(books, orders, positions, lifecycle, margin, markets, events);
    this.#time = time;
    this.markets = markets;
    this.positions = positions;
    this.accountEvents = events;
    this.#reservations = reservations;
    this.#margin = margin;
    this.#lifecycle = lifecycle;
    this.#collateral = collateral;
    this.#killSwitches = new KillSwitches(time, markets);
    this.#intake = new OrderIntake(markets, orders, positions, lifecycle, reservations, margin);
    this.#oco = new OcoOrders(lifecycle, orders, margin, this.#intake, markets);
    this.#cancels = new Cancels(lifecycle, orders, markets);
    this.recorded = new RecordedEvents(markets, lifecycle, time);
    markets.onMove = (book, price) => {
      lifecycle.priceMoved(book, price);
      collateral.liquidate(book.listing.name);
      collateral.cancelShort();
    };
    markets.onFunding = (book, settlement) => {
      collateral.settleFunding(book, settlement);
      collateral.cancelShort();
    };
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

  get margin(): Margin {
    this.advance();
    return this.#margin;
  }

  get collateral(): Collateral {
    this.advance();
    return this.#collateral;
  }

  get isIdle(): boolean {
    return this.positions.isEmpty && this.orders.allOpen.size === 0;
  }

  get fills(): Journal<LedgerFill> {
    return this.#lifecycle.fills;
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

  cancel(account: string, market: string, reference: OrderReference): LedgerOrder {
    this.advance();
    const order = this.#openOrder(account, market, reference);
    this.#lifecycle.finish(order, this.markets.book(market), order.canceledStatus);
    return order.view();
  }

  /** Newest first; those that match. */
  openOrders(account: string, matches: (order: BookOrder['init']) => boolean = () => true): LedgerOrder[] {
    this.advance();
    return viewsOf(this.orders.open(account), matches);
  }

  /** Newest first; those that match. */
  history(account: string, matches: (order: BookOrder['init']) => boolean = () => true): LedgerOrder[] {
    this.advance();
    return viewsOf(this.orders.ended(account), matches);
  }

  deals(account: string): LedgerFill[] {
    this.advance();
    return this.fills.of(account);
  }

  views(): MarketView[] {
    this.advance();
    return this.markets.views((market) => this.positions.openInterest(market));
  }

  frozen(account: string, asset: string): Decimal {
    return this.#reservations.frozen(account, asset);
  }

  setPrice(market: string, price: Decimal): void {
    this.advance();
    this.markets.setPrice(market, price);
  }

  delist(market: string): void {
    this.advance();
    const book = this.markets.book(market);
    book.tradesEnabled = false;
    book.isDelisted = true;
    this.#cancels.delist(market);
  }

  forget(before: number): void {
    this.orders.forget(before);
    this.fills.forget(before);
    this.#collateral.forget(before);
  }

  advance(): void {
    this.recorded.catchUp();
    const now = this.#time.now();
    for (const killSwitch of this.#killSwitches.take(now)) {
      this.markets.moveTo(killSwitch.at);
      this.#time.during(killSwitch.at, () => {
        this.#cancels.all(killSwitch.account, killSwitch);
      });
    }
    this.markets.moveTo(now);
    this.#collateral.cancelShort();
  }

  #openOrder(account: string, market: string, reference: OrderReference): BookOrder {
    const order = this.orders.findOpen(account, market, reference);
    if (order === undefined) throw notFound('order_id');
    return order;
  }
}

function viewsOf(orders: readonly BookOrder[], matches: (order: BookOrder['init']) => boolean): LedgerOrder[] {
  const found = orders.filter(({ init }) => matches(init)).reverse();
  return found.map((order) => order.view());
}
