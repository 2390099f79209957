// A subscription of trades on a hand-written exchange, and what it has emitted, written briefly.
import type { LiveTradeItem } from 'exchange-rx';
import type { LiveExchange } from '../support/live-exchange.js';
import { setup } from './setup.js';

export const market = 'BTC_USDT';
export const trade = (id: number) => ({ id, time: 1000 + id, price: '100', amount: '1', type: 'buy' });

/** Trades from one number to another, newest first, as the exchange lists them. */
export function listed(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, index) => trade(to - index));
}

export function push(server: LiveExchange, trades: readonly unknown[]): void {
  server.last.push('trades_update', [market, trades]);
}

/** Executed now by the clock of this machine, as trades of a live market are. */
export const now = (id: number) => ({ ...trade(id), time: Date.now() / 1000 });

export const write = (item: LiveTradeItem) =>
  item.kind === 'trade' ? item.trade.id : `${item.reason} ${item.filled ? 'filled' : 'not filled'}`;

/** @param overRest the trades that the exchange lists over REST, newest first; `undefined`: it fails */
export function watched(history = false, overRest?: () => readonly ReturnType<typeof trade>[] | 'never') {
  const requested: string[] = [];
  const fetch = (input: string | URL | Request) => {
    const url = input instanceof Request ? input.url : input.toString();
    if (url.endsWith('/public/markets')) return Promise.resolve(new Response('', { status: 404 }));
    requested.push(url);
    const trades = overRest?.();
    if (trades === 'never') return new Promise<Response>(() => undefined);
    const body = trades?.map(({ id, time, price, amount, type }) => {
      return { tradeID: id, price, quote_volume: amount, base_volume: '100', trade_timestamp: time, type };
    });
    return Promise.resolve(body === undefined ? new Response('', { status: 500 }) : Response.json(body));
  };
  const all = setup({}, { fetch });
  const seen: (number | string)[] = [];
  const items: LiveTradeItem[] = [];
  const subscription = all.exchange.live.trades({ markets: [market], history }).subscribe((item) => {
    items.push(item);
    seen.push(write(item));
  });
  return { ...all, seen, items, requested, subscription };
}
