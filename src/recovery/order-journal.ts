// A file of the orders of a program, one JSON line for each step: what a restarted program must look up.
import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { defer, tap, type Observable } from 'rxjs';
import * as v from 'valibot';
import type { OrderObservable } from '../endpoint/index.js';
import { isExchangeError, RequestError } from '../errors/index.js';
import { isIdentifiedBy } from '../orders/index.js';

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
  /** By market and identifier. */
  readonly #pending = new Map<string, JournaledOrder>();
  /** The last one of each endpoint. */
  readonly #placed = new Map<string, JournaledOrder>();
  /** Endpoints that dropped an identifier. */
  readonly #unidentified = new Set<string>();
  /** By market and identifier: the orders that were placed. */
  readonly #used = new Set<string>();
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
    return [...this.#pending.values()];
  }

  /** The last order of each endpoint that was placed, without the endpoints that dropped an identifier. */
  get placed(): readonly JournaledOrder[] {
    return [...this.#placed.values()].filter(({ endpoint }) => !this.#unidentified.has(endpoint));
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
      const name = nameOf(key);
      if (!kept.hasPlace && (this.#pending.has(name) || this.#used.has(name)))
        throw new RequestError(endpoint, [{ field: 'client_order_id', message: inJournal }]);
      if (!kept.hasPlace) this.record({ ...key, state: 'placing' });
      kept.hasPlace = true;
      kept.subscribers += 1;
      return order$.pipe(
        tap({
          next: (order) => {
            if (this.#pending.has(name)) end(isIdentifiedBy(key, order) ? 'placed' : 'unidentified');
          },
          error: (error: unknown) => {
            // Another subscriber may have sent the order again by now.
            const isOver = kept.subscribers === 1 && isExchangeError(error) && this.#pending.has(name);
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

  #add(order: JournaledOrder): void {
    const name = nameOf(order);
    if (order.state === 'placing') this.#pending.set(name, order);
    else this.#pending.delete(name);
    if (order.state === 'placed') this.#placed.set(order.endpoint, order);
    if (order.state === 'unidentified') this.#unidentified.add(order.endpoint);
    if (order.state === 'placed' || order.state === 'unidentified') this.#used.add(name);
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
