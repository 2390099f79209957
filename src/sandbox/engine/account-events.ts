// What happens to the orders and positions of an account, for those who follow it on the real-time interface.
import type { EngineTime } from '../clock.js';
import type { LedgerFill, LedgerOrderEvent } from '../ledger.js';
import type { BookOrder } from './book-order.js';
import type { OpenPosition } from './positions.js';

interface EventBase {
  readonly account: string;
  readonly market: string;
  readonly at: number;
}

export interface OrderEvent extends EventBase, LedgerOrderEvent {
  readonly kind: 'order';
}

export interface DealEvent extends EventBase {
  readonly kind: 'deal';
  readonly fill: LedgerFill;
}

/** A position is near its liquidation (1), or is liquidated (2). */
export interface PositionEvent extends EventBase {
  readonly kind: 'position';
  readonly event: 1 | 2;
  readonly position: OpenPosition;
}

export type AccountEvent = OrderEvent | DealEvent | PositionEvent;

export class AccountEvents {
  /** Called with each event of a followed account, in order. Must not use the engine, which is in the middle of it. */
  onEvent: (event: AccountEvent) => void = () => undefined;
  /** Events cost time, and most accounts are followed by no one. */
  readonly #followed = new Set<string>();

  constructor(private readonly time: Pick<EngineTime, 'now'>) {}

  follow(account: string): void {
    this.#followed.add(account);
  }

  order(event: OrderEvent['event'], order: BookOrder): void {
    const { account, market } = order.init;
    if (!this.#followed.has(account)) return;
    this.onEvent({ kind: 'order', account, market, at: this.time.now(), event, order: order.view() });
  }

  deal(fill: LedgerFill): void {
    const { account, market, at } = fill;
    if (this.#followed.has(account)) this.onEvent({ kind: 'deal', account, market, at, fill });
  }

  positions(event: PositionEvent['event'], account: string, open: () => readonly OpenPosition[]): void {
    if (!this.#followed.has(account)) return;
    const at = this.time.now();
    for (const one of open())
      this.onEvent({ kind: 'position', account, market: one.position.market, at, event, position: one });
  }
}
