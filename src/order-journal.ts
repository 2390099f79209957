// A file of the orders of a program, one JSON line for each step; and how a restarted program determines the outcome of
// each order that the killed one left without one.
import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { catchError, defer, EMPTY, endWith, ignoreElements, map, merge, of, takeWhile, tap, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import * as v from 'valibot';
import type { OrderObservable } from './endpoint/index.js';
import { isExchangeError, RequestError, type AnyExchangeError } from './errors/index.js';
import type { Exchange } from './exchange.js';
import type { Order } from './model/order.js';
import { isIdentifiedBy } from './orders/index.js';

const journaledOrder = v.object({
  client_order_id: v.string(),
  market: v.string(),
  endpoint: v.string(),
  state: v.picklist(['placing', 'placed', 'unidentified', 'not-placed']),
});

/** One line of an {@link OrderJournal}. */
export interface JournaledOrder {
  /** The identifier of the order. */
  readonly client_order_id: string;
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** Name of the endpoint that places the order. */
  readonly endpoint: string;
  /**
   * `placing`: the order may exist. `unidentified`: it was placed, and the exchange dropped its identifier. Nothing proves
   * the absence of an order of such an endpoint.
   */
  readonly state: 'placing' | 'placed' | 'unidentified' | 'not-placed';
}

/**
 * The orders of one program in a file of JSON lines, which the program reads after it was killed. Each order is on disk
 * before it is sent. For Node, Bun and Deno. One program at a time, and one file for each account and exchange: an order
 * of another account would be reported as not placed. A line takes some 150 bytes, and a file is never shortened: begin
 * another one while nothing is pending.
 *
 * The constructor and `record` throw the error of the file system, or an error that names an invalid line.
 *
 * @example
 * ```ts
 * import { OrderJournal, type Exchange } from 'exchange-rx';
 *
 * const buy = (exchange: Exchange, journal: OrderJournal) =>
 *   journal.keep(exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }));
 *
 * const start = (exchange: Exchange) =>
 *   buy(exchange, new OrderJournal('orders.jsonl')).subscribe((order) => console.log(order.status));
 * ```
 */
export class OrderJournal {
  #file: number | undefined;
  /** The last line of each order, by market and identifier; the oldest line first. */
  readonly #orders = new Map<string, JournaledOrder>();
  readonly #kept = new WeakMap<object, { subscribers: number; hasPlace: boolean }>();

  /** Reads the file, or creates it. */
  constructor(path: string) {
    this.#file = openSync(path, 'a+', 0o600);
    for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
      const order = parsedLine(line);
      if (order === undefined) continue;
      const { success, output } = v.safeParse(journaledOrder, order);
      if (!success) throw new TypeError(`${path}, line ${index + 1}: no line of an order journal`);
      this.#add(output);
    }
  }

  /** The orders whose outcome is not in the journal, oldest first. */
  get pending(): readonly JournaledOrder[] {
    return this.#all('placing');
  }

  /** The last order of each endpoint that was placed, without the endpoints that dropped an identifier. */
  get placed(): readonly JournaledOrder[] {
    const dropping = this.#all('unidentified').map(({ endpoint }) => endpoint);
    const last = new Map(this.#all('placed').map((order) => [order.endpoint, order]));
    return [...last.values()].filter(({ endpoint }) => !dropping.includes(endpoint));
  }

  /** Writes a line. `placing` is on disk when it returns: record it before the order is sent. */
  record({ client_order_id, market, endpoint, state }: JournaledOrder): void {
    if (this.#file === undefined) throw new Error('the journal of orders is closed');
    // The line break comes first: a line that a kill cut off spoils no other.
    appendFileSync(this.#file, `\n${JSON.stringify({ client_order_id, market, endpoint, state })}`);
    // Without the other states, which a loss of power may take, the order is looked up again.
    if (state === 'placing') fsyncSync(this.#file);
    this.#add({ client_order_id, market, endpoint, state });
  }

  /**
   * The same order, kept in the journal: `placing` before it is sent, then its outcome. An order of unknown outcome stays
   * `placing`. Pipe `retry()` after it: it needs the observable of the call itself.
   *
   * Fails before the order is sent where the file cannot be written, and with a {@link RequestError} for an identifier that
   * the journal has: only {@link recoverOrders} determines the outcome of that order. An outcome that cannot be written is
   * a warning of the process, because the order has its outcome.
   */
  keep<Order>(order$: OrderObservable<Order>): Observable<Order> {
    const { client_order_id, market, endpoint } = order$;
    const key = { client_order_id, market, endpoint };
    const kept = this.#kept.get(order$) ?? { subscribers: 0, hasPlace: false };
    this.#kept.set(order$, kept);
    const end = (state: JournaledOrder['state']) => {
      kept.hasPlace = state !== 'not-placed';
      try {
        this.record({ ...key, state });
      } catch (error) {
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    };
    return defer(() => {
      const isPending = () => this.#orders.get(nameOf(key))?.state === 'placing';
      const { state = 'not-placed' } = this.#orders.get(nameOf(key)) ?? {};
      if (!kept.hasPlace && state !== 'not-placed')
        throw new RequestError(endpoint, [{ field: 'client_order_id', message: inJournal }]);
      if (!kept.hasPlace) this.record({ ...key, state: 'placing' });
      kept.hasPlace = true;
      kept.subscribers += 1;
      return order$.pipe(
        tap({
          next: (order) => {
            if (isPending()) end(isIdentifiedBy(key, order) ? 'placed' : 'unidentified');
          },
          error: (error: unknown) => {
            // Another subscriber may have sent the order again by now.
            const isOver = kept.subscribers === 1 && isExchangeError(error) && isPending();
            if (isOver && (error.outcome === 'not-executed' || error.outcome === 'rejected')) end('not-placed');
          },
          finalize: () => {
            kept.subscribers -= 1;
          },
        }),
      );
    });
  }

  /** Closes the file. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  #all(state: JournaledOrder['state']): readonly JournaledOrder[] {
    return [...this.#orders.values()].filter((order) => order.state === state);
  }

  #add(order: JournaledOrder): void {
    this.#orders.delete(nameOf(order));
    this.#orders.set(nameOf(order), order);
  }
}

const inJournal = 'is the identifier of another order in the journal: recoverOrders() determines its outcome';

const nameOf = ({ market, client_order_id }: Pick<JournaledOrder, 'market' | 'client_order_id'>) =>
  `${market} ${client_order_id}`;

/** `undefined` for an empty line, and for one that was cut off: nothing followed from it. */
function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** An order of the journal, with its outcome. */
export type RecoveredOrder = Omit<JournaledOrder, 'state'> &
  (
    | {
        readonly outcome: 'placed';
        /** The order as a list shows it. */
        readonly order: Order;
      }
    | {
        /** `not-placed`: it is proven that the order does not exist. `unknown`: the order may exist. */
        readonly outcome: 'not-placed' | 'unknown';
        readonly error: AnyExchangeError;
      }
  );

/**
 * Looks up every pending order of a journal, all at once, and records each outcome. Emits the orders with their outcomes,
 * then completes. An order that is found takes a request or two; the proof that an order does not exist takes 20 s. An
 * order of outcome `unknown` stays pending: call the function again.
 *
 * A proof of absence needs an order of the same endpoint that is found: the last one that was placed is looked up, too.
 * Before a program has placed its first order of an endpoint, an order that was never sent stays `unknown`.
 *
 * End the program that sent the orders first, and subscribe before you place others. The client must have the key of the
 * account that the journal belongs to.
 *
 * @example
 * ```ts
 * import { OrderJournal, recoverOrders, type Exchange } from 'exchange-rx';
 *
 * const recover = (exchange: Exchange, journal: OrderJournal) =>
 *   recoverOrders(exchange, journal).subscribe(({ client_order_id, outcome }) => console.log(client_order_id, outcome));
 * ```
 */
export function recoverOrders(
  exchange: Pick<Exchange, 'orders'>,
  journal: Pick<OrderJournal, 'pending' | 'placed' | 'record'>,
): Observable<RecoveredOrder> {
  const find = ({ client_order_id, market, endpoint }: JournaledOrder) =>
    exchange.orders.find({ client_order_id, market, endpoint });
  const recover = (pending: JournaledOrder): Observable<RecoveredOrder> => {
    const { client_order_id, market, endpoint } = pending;
    const key = { client_order_id, market, endpoint };
    return find(pending).pipe(
      map((order) => ({ ...key, outcome: 'placed', order }) as const),
      catchError((error: unknown) => {
        if (!isExchangeError(error)) return throwError(() => error);
        return of({ ...key, outcome: error.kind === 'not-placed' ? error.kind : 'unknown', error } as const);
      }),
      tap(({ outcome }) => {
        if (outcome !== 'unknown') journal.record({ ...key, state: outcome });
      }),
    );
  };
  return defer(() => {
    const { pending, placed } = journal;
    const witnesses = placed.filter(({ endpoint }) => pending.some((order) => order.endpoint === endpoint));
    const witnesses$ = witnesses.map((witness) =>
      find(witness).pipe(
        ignoreElements(),
        catchError(() => EMPTY),
      ),
    );
    // The end of the last lookup ends those of the witnesses.
    const recovered$ = merge(...pending.map(recover)).pipe(endWith(undefined));
    return merge(...witnesses$, recovered$).pipe(takeWhile((recovered) => recovered !== undefined));
  });
}
