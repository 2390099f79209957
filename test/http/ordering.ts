// An order by a client that neither retries it nor looks it up, and how its permits were released.
import { createExchange, type ClientOptions } from 'exchange-rx';
import { order, recordedPermits } from '../support/transports.js';

export function ordering(options: Partial<ClientOptions>) {
  const { scheduler, released } = recordedPermits();
  const exchange = createExchange({
    ...{ baseUrl: 'https://exchange.example', credentials: { apiKey: 'key', apiSecret: 'secret' }, scheduler },
    ...{ retry: false, lookupTimeoutMs: 0, warnings: false },
    ...options,
  });
  return { exchange, order$: exchange.spot.placeStockMarketOrder(order), released };
}
