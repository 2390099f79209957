// The exchange without HTTP: it admits orders, cancels them, fires kill switches and lists orders.
import type { Decimal } from '../../model/decimal.js';
import type { Books } from '../books.js';
import type { EngineTime } from '../clock.js';
import type { LedgerFill, LedgerOrder } from '../ledger.js';
import type { Journal } from '../retention.js';
import { AccountEvents } from './account-events.js';
import type { BookOrder } from './book-order.js';
import { Cancels } from './cancels.js';
import { Collateral } from './collateral.js';
import { Markets, type MarketsOptions, type MarketView } from './markets.js';
import { Margin } from './margin.js';
import { OcoOrders } from './oco-orders.js';
import { OrderIntake } from './order-intake.js';
import { OrderLifecycle } from './order-lifecycle.js';
import { Orders } from './orders.js';
import { Positions } from './positions.js';
import { RecordedEvents } from './recorded-events.js';
import { Reservations } from './reservations.js';

interface Current {
  readonly cancels: Cancels;
  readonly collateral: Collateral;
  readonly intake: OrderIntake;
  readonly margin: Margin;
  readonly oco: OcoOrders;
}

/**
 * The getters and methods for an account first bring prices up to the clock's time; a broken rule throws
 * {@link Rejection}. The public fields are those of the last {@link advance}.
 */
export class Engine {
  readonly accountEvents: AccountEvents;
  readonly fills: Journal<LedgerFill>;
  readonly markets: Markets;
  readonly orders = new Orders();
  readonly positions: Positions;
  readonly recorded: RecordedEvents;
  readonly reservations: Reservations;
  readonly #time: EngineTime;
  readonly #current: Current;

  constructor({ books, ...options }: MarketsOptions & { readonly books: Books }) {
    const { time } = options;
    this.#time = time;
    this.markets = new Markets(options);
    this.positions = new Positions(time);
    this.accountEvents = new AccountEvents(time);
    const { markets, orders, positions, accountEvents: events } = this;
    const reservations = new Reservations(books, markets);
    const margin = new Margin(books, positions, orders, markets);
    const lifecycle = new OrderLifecycle(time, books, markets, positions, orders, reservations, events);
    this.reservations = reservations;
    this.fills = lifecycle.fills;
    const collateral = new Collateral(books, orders, positions, lifecycle, margin, markets, events);
    const intake = new OrderIntake(markets, orders, positions, lifecycle, reservations, margin);
    const oco = new OcoOrders(lifecycle, orders, margin, intake, markets);
    this.#current = { cancels: new Cancels(time, lifecycle, orders, markets), collateral, intake, margin, oco };
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

  /** The parts that serve an account, at the clock's time. */
  get current(): Current {
    this.advance();
    return this.#current;
  }

  get isIdle(): boolean {
    return this.positions.isEmpty && this.orders.allOpen.size === 0;
  }

  openOrders(account: string, matches: (order: BookOrder['init']) => boolean = () => true): LedgerOrder[] {
    this.advance();
    return viewsOf(this.orders.open(account), matches);
  }

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

  setPrice(market: string, price: Decimal): void {
    this.advance();
    this.markets.setPrice(market, price);
  }

  delist(market: string): void {
    this.advance();
    const book = this.markets.book(market);
    book.tradesEnabled = false;
    book.isDelisted = true;
    this.#current.cancels.delist(market);
  }

  forget(before: number): void {
    this.orders.forget(before);
    this.fills.forget(before);
    this.#current.collateral.forget(before);
  }

  advance(): void {
    this.recorded.catchUp();
    const now = this.#time.now();
    for (const killSwitch of this.#current.cancels.takeKillSwitches(now)) {
      this.markets.moveTo(killSwitch.at);
      this.#time.during(killSwitch.at, () => {
        this.#current.cancels.all(killSwitch.account, killSwitch);
      });
    }
    this.markets.moveTo(now);
    this.#current.collateral.cancelShort();
  }
}

/** Newest first. */
function viewsOf(orders: readonly BookOrder[], matches: (order: BookOrder['init']) => boolean): LedgerOrder[] {
  const found = orders.filter(({ init }) => matches(init)).reverse();
  return found.map((order) => order.view());
}
