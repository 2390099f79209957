// An account on the hostile exchange: what it executes, what of it is pushed, and what the history lists of it, and when.
// It lies by chance: pushes are lost, late, reordered and sent twice; the history lags, fails, and is served by two
// servers of which one is behind.
import type { ClientOptions } from 'exchange-rx';
import type { LiveConnection, LiveExchange, ReceivedRequest } from '../../support/live-exchange.js';

export interface Deal {
  readonly id: number;
  readonly order: number;
  readonly market: string;
  /** Unix ms. */
  readonly at: number;
  /** When the history has it, Unix ms. */
  readonly listedAt: number;
  readonly price: string;
  readonly isBuy: boolean;
}

/** How often it lies, 0 to 1, and by how much. */
export interface Lies {
  readonly lost: number;
  readonly twice: number;
  readonly delayed: number;
  readonly maxDelayMs: number;
  readonly lagging: number;
  readonly maxLagMs: number;
  readonly failing: number;
  /** How often a page comes from a server that is 3 s behind. */
  readonly behind: number;
}

export const honest: Lies = {
  ...{ lost: 0, twice: 0, delayed: 0, maxDelayMs: 0, lagging: 0, maxLagMs: 0, failing: 0, behind: 0 },
};

export const keyOf = ({ id, order }: Deal) => `${id}/${order}`;

export class DealsExchange {
  readonly deals: Deal[] = [];
  lies = honest;
  restIsDown = false;
  refusal: { readonly status: number; readonly body: unknown } | undefined;
  /** Its clock minus that of this machine. */
  clockMs = 0;
  /** How long a connection lasts after its subscription, milliseconds. */
  lastsMs = Number.POSITIVE_INFINITY;
  reads = 0;
  restLatencyMs = 50;
  /** The maximum of a page, whatever the request says. */
  maxPage = 500;
  readonly #subscribed = new Set<LiveConnection>();

  constructor(private readonly random: () => number) {}

  serve(server: LiveExchange): void {
    server.react = (got) => {
      this.#on(got);
    };
  }

  get now(): number {
    return Date.now() + this.clockMs;
  }

  /** Executes an order; a trade between two orders of the account is two records of one number. */
  execute(market = 'BTC_USDT', own = false): void {
    const id = 1000 + (this.deals.at(-1)?.id ?? 0);
    const lagMs = this.#happens(this.lies.lagging) ? this.random() * this.lies.maxLagMs : 0;
    const at = this.now;
    const deal = { id, market, at, listedAt: at + lagMs, price: String(100 + (id % 7)), order: id + 1, isBuy: true };
    this.#add(deal);
    if (own) this.#add({ ...deal, order: id + 2, isBuy: false });
  }

  readonly fetch: NonNullable<ClientOptions['fetch']> = async (input, init) => {
    const request = new Request(input, init);
    const body = (await request.json()) as Readonly<Record<string, unknown>>;
    await new Promise((resolve) => setTimeout(resolve, this.restLatencyMs * (0.5 + this.random())));
    if (request.url.endsWith('/profile/websocket_token')) return Response.json({ websocket_token: 'token' });
    this.reads += 1;
    const { refusal } = this;
    if (refusal !== undefined) return Response.json(refusal.body, { status: refusal.status });
    if (this.restIsDown || this.#happens(this.lies.failing)) return this.#failure();
    return Response.json(this.#page(body));
  };

  #failure(): Response {
    if (this.random() < 0.3) throw new TypeError('fetch failed');
    return this.random() < 0.5 ? new Response('', { status: 502 }) : new Response('<html>', { status: 200 });
  }

  #add(deal: Deal): void {
    this.deals.push(deal);
    for (const connection of this.#subscribed) {
      if (connection.state === 'over') this.#subscribed.delete(connection);
      else this.#push(connection, deal);
    }
  }

  #push(connection: LiveConnection, deal: Deal): void {
    if (this.#happens(this.lies.lost)) return;
    const { id, order, market, at, price, isBuy } = deal;
    const isText = this.random() < 0.5;
    const side = isBuy ? 2 : 1;
    const end = isText ? [String(side), '2', 'USDT'] : [side, 2, 'USDT'];
    const send = () => {
      connection.push('deals_update', [id, at / 1000, market, order, price, '0.5', '0.10', '', ...end]);
    };
    const times = this.#happens(this.lies.twice) ? 2 : 1;
    for (let count = 0; count < times; count += 1) {
      if (this.#happens(this.lies.delayed)) setTimeout(send, this.random() * this.lies.maxDelayMs);
      else send();
    }
  }

  #page(body: Readonly<Record<string, unknown>>): unknown {
    const { startDate = 0, endDate = 1e12, limit = 50, offset = 0 } = body as Readonly<Record<string, number>>;
    const seenAt = this.now - (this.#happens(this.lies.behind) ? 3000 : 0);
    const isListed = ({ at, listedAt }: Deal) => listedAt <= seenAt && at >= startDate * 1000 && at <= endDate * 1000;
    const page = this.deals
      .slice(-20_000)
      .filter(isListed)
      .toReversed()
      .slice(offset, offset + Math.min(limit, this.maxPage));
    const byMarket: Record<string, unknown[]> = {};
    for (const { id, order, market, at, price, isBuy } of page) {
      (byMarket[market] ??= []).push({
        ...{ id, time: at / 1000, side: isBuy ? 'buy' : 'sell', role: 2, price: `${price}.00`, amount: '0.5' },
        ...{ deal: String(Number(price) / 2), fee: '0.1', orderId: order, clientOrderId: '', feeAsset: 'USDT' },
      });
    }
    // Within a market, in any order.
    for (const list of Object.values(byMarket)) if (this.lies.behind > 0) list.reverse();
    return page.length === 0 ? [] : byMarket;
  }

  #on({ connection, id, method }: ReceivedRequest): void {
    if (method === 'time') connection.respond(id, Math.floor(this.now / 1000));
    else connection.confirm(id);
    if (method === 'deals_unsubscribe') this.#subscribed.delete(connection);
    if (method !== 'deals_subscribe') return;
    this.#subscribed.add(connection);
    if (this.lastsMs < Number.POSITIVE_INFINITY)
      setTimeout(() => {
        connection.end();
      }, this.lastsMs);
  }

  #happens(share: number): boolean {
    return share > 0 && this.random() < share;
  }
}
