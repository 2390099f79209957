// ccxt, pointed at the same server: its class for the exchange whose API this is a description of.
import { apiKey, apiSecret, order, type Open } from '../contender.js';

export const ccxt: Open = async (baseUrl) => {
  const { default: library } = await import('ccxt');
  const exchange = new library.whitebit({ apiKey, secret: apiSecret, enableRateLimit: false });
  const address = `${baseUrl}/api/v4`;
  exchange.urls['api'] = { v4: { public: `${address}/public`, private: address } };
  const precision = { amount: 0.000001, price: 0.01 };
  const limits = { amount: {}, price: {}, cost: {} };
  const market = {
    id: 'BTC_USDT',
    symbol: 'BTC/USDT',
    base: 'BTC',
    quote: 'USDT',
    baseId: 'BTC',
    quoteId: 'USDT',
    type: 'spot',
    spot: true,
    active: true,
    precision,
    limits,
  };
  exchange.setMarkets([market]);
  return {
    async place() {
      const { id } = await exchange.createOrder('BTC/USDT', 'market', order.side, Number(order.amount));
      return Number(id);
    },
  };
};
