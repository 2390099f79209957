// What the channels of the account are made of.
import type { Observable } from 'rxjs';
import type { AdlQuantile, LivePosition } from '../../model/position.js';
import type { Order } from '../../model/order.js';
import type { LiveOrder } from '../../model/live-order.js';
import type { LiveGap } from '../../model/stream-gap.js';
import type { ReadExecutionPage } from './execution-history.js';
import type { SeenOrder } from '../channels/account.js';

export interface OrderReads {
  openOrders(market: string): Observable<ListedOrders<Order>>;
  /** An order that has ended; completes when the history does not show it. */
  endedOrder(key: { readonly market: string; readonly order_id: number }): Observable<LiveOrder>;
  /** The open orders with an identifier, and those that have ended. */
  ordersOf(key: { readonly market: string; readonly client_order_id: string }): Observable<SeenOrder>;
  /** The newest orders of a market that have ended since a time, Unix seconds. */
  endedOrders(since: { readonly market: string; readonly from: number }): Observable<ListedOrders<LiveOrder>>;
}

export interface ListedOrders<One> {
  readonly orders: readonly One[];
  /** Whether no order is left out: each could be read, and the exchange lists no further ones. */
  readonly isWhole: boolean;
}

export interface AccountReads {
  readonly hasCredentials: boolean;
  readonly readExecutions: ReadExecutionPage;
  readonly orderReads: OrderReads;
  readonly onOrderPushed: (order: Order) => void;
  /** How long the history may lag behind the connection, milliseconds. */
  readonly historyLagMs: number;
  readonly readPositions: () => Observable<readonly LivePosition[]>;
  readonly readAdlQuantiles: () => Observable<readonly AdlQuantile[]>;
}

export interface Account extends AccountReads {
  /** The exchange's time, whole Unix seconds. */
  readonly readTime: () => Observable<number>;
  readonly random: () => number;
  readonly reportGap: (gap: LiveGap) => void;
}
