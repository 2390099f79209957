// The order books of ccxt.pro: its handler for the messages of this exchange, and its subscription on a connection.
import type { Watching } from '../../../live/watchers.js';

/** Keeps the books of the parsed messages that it gets, without a connection. */
export async function ccxtBooks(): Promise<(message: unknown) => void> {
  const { default: library } = await import('ccxt');
  const exchange = new library.pro.whitebit({ enableRateLimit: false });
  const client = { resolve: () => undefined };
  return (message) => {
    exchange.handleOrderBook(client, message);
  };
}

/** Watches the books as its manual says: one call after the other for each market. */
export async function watchWithCcxt({ url, markets, limit, onBook }: Watching): Promise<void> {
  const { default: library } = await import('ccxt');
  const exchange = new library.pro.whitebit({ enableRateLimit: false });
  exchange.urls['api'] = { ws: url };
  // It needs this for an address that is not wss:.
  await exchange.loadHttpProxyAgent();
  const precision = { amount: 0.000001, price: 0.1 };
  const limits = { amount: {}, price: {}, cost: {} };
  const spot = { type: 'spot', spot: true, active: true, precision, limits };
  exchange.setMarkets(
    markets.map((id) => {
      const [base, quote] = id.split('_');
      return { ...spot, id, symbol: `${base}/${quote}`, base, quote, baseId: base, quoteId: quote };
    }),
  );
  const watch = async (market: string): Promise<never> => {
    for (;;) {
      await exchange.watchOrderBook(market.replace('_', '/'), limit);
      onBook(undefined);
    }
  };
  await Promise.all(markets.map(watch));
}
