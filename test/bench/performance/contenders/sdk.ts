// This package, as its users have it.
import { createExchange, kyTransport, type ClientOptions } from 'exchange-rx';
import ky from 'ky';
import { lastValueFrom } from 'rxjs';
import { apiKey, apiSecret, order, type Open } from './contender.js';

// There is one nonce a millisecond: a clock that runs faster lets the benchmark go beyond the 1000 orders a second that
// the exchange allows.
const nonceSpeed = 50;
// More than one process can send.
const plenty = { limit: 200_000, windowMs: 10_000 };

const sdkWith =
  (transport: ClientOptions['transport']): Open =>
  (baseUrl, connections) => {
    const exchange = createExchange({
      baseUrl,
      credentials: { apiKey, apiSecret },
      limits: { 'spot.placeStockMarketOrder': plenty },
      maxInFlight: connections,
      now: () => 1_700_000_000_000 + performance.now() * nonceSpeed,
      ...(transport === undefined ? {} : { transport }),
    });
    return { place: async () => (await lastValueFrom(exchange.spot.placeStockMarketOrder(order))).order_id };
  };

export const sdk = sdkWith(undefined);

/** With a hook, over the platform's fetch. */
export const sdkWithKy = sdkWith(
  kyTransport(
    ky.extend({
      hooks: {
        beforeRequest: [
          (request) => {
            request.headers.set('x-trace', '1');
          },
        ],
      },
    }),
  ),
);
