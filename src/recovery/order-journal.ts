// A file of the orders of a program, one JSON line for each step: what a restarted program must look up.
import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { defer, tap, type Observable } from 'rxjs';
import * as v from 'valibot';
import type { OrderObservable } from '../endpoint/index.js';
import { isExchangeError } from '../errors/index.js';

const journaledOrder = v.object({
  client_order_id: v.string(),
  market: v.string(),
  endpoint: v.string(),
  state: v.picklist(['placing', 'placed', 'not-placed']),
});

/** One line of an {@link OrderJournal}. */
export interface JournaledOrder {
  /** The identifier of the order. */
  readonly client_order_id: string;
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** Name of the endpoint that places the order. */
  readonly endpoint: string;
  /** `placing`: the order may exist. */
  readonly state: 'placing' | 'placed' | 'not-placed';
}

/**
 * The orders of one program in a file of JSON lines, which the program reads after it was killed. Each order is on disk
 * before it is sent. For Node, Bun and Deno; one program at a time. A line takes some 150 bytes, and a file is never
 * shortened.
 *
 * The constructor, `record` and `keep` throw the error of the file system, or an error that names an invalid line.
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
  readonly #file: number;
  /** By market and identifier. */
  readonly #pending = new Map<string, JournaledOrder>();
  /** By endpoint. */
  readonly #placed = new Map<string, JournaledOrder>();
  readonly #kept = new WeakMap<object, { subscribers: number }>();

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

  /** The last order of each endpoint that was placed. */
  get placed(): readonly JournaledOrder[] {
    return [...this.#placed.values()];
  }

  /** Writes a line. `placing` is on disk when it returns: record it before the order is sent. */
  record({ client_order_id, market, endpoint, state }: JournaledOrder): void {
    // The line break comes first: a line that a kill cut off spoils no other.
    appendFileSync(this.#file, `\n${JSON.stringify({ client_order_id, market, endpoint, state })}`);
    // Without the other states, which a loss of power may take, the order is looked up again.
    if (state === 'placing') fsyncSync(this.#file);
    this.#add({ client_order_id, market, endpoint, state });
  }

  /**
   * The same order, kept in the journal: `placing` before it is sent, then its outcome. An order of unknown outcome stays
   * `placing`. Pipe `retry()` after it: it needs the observable of the call itself.
   */
  keep<Order>(order$: OrderObservable<Order>): Observable<Order> {
    const { client_order_id, market, endpoint } = order$;
    const record = (state: JournaledOrder['state']) => {
      this.record({ client_order_id, market, endpoint, state });
    };
    const kept = this.#kept.get(order$) ?? { subscribers: 0 };
    this.#kept.set(order$, kept);
    return defer(() => {
      record('placing');
      kept.subscribers += 1;
      return order$.pipe(
        tap({
          next: () => {
            record('placed');
          },
          error: (error: unknown) => {
            // Another subscriber may have sent the order again by now.
            const isOver = kept.subscribers === 1 && isExchangeError(error);
            if (isOver && (error.outcome === 'not-executed' || error.outcome === 'rejected')) record('not-placed');
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
    closeSync(this.#file);
  }

  #add(order: JournaledOrder): void {
    const name = `${order.market} ${order.client_order_id}`;
    if (order.state === 'placing') this.#pending.set(name, order);
    else this.#pending.delete(name);
    if (order.state === 'placed') this.#placed.set(order.endpoint, order);
  }
}

/** `undefined` for an empty line, and for one that was cut off: nothing followed from it. */
function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
