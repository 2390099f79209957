// Every transport over real sockets, as options of a client, for the tests that all of them pass.
import { defineEndpoint, kyTransport, undiciTransport, type ClientOptions, type Scheduler } from 'exchange-rx';
import ky from 'ky';
import { defer, EMPTY, NEVER, of } from 'rxjs';
import * as v from 'valibot';

/** A read, an order, and the response to it. */
export const list = defineEndpoint({
  name: 'list',
  method: 'GET',
  path: '/list',
  rateLimit: { name: 'list', limit: 1000, windowMs: 1000 },
  safety: 'read',
  response: v.array(v.string()),
});
export const order = { market: 'BTC_USDT', side: 'buy', amount: '1', client_order_id: 'mine' } as const;
export const placed = { order_id: 1, client_order_id: 'mine', market: 'BTC_USDT', side: 'buy' };

type TransportOptions = Pick<ClientOptions, 'transport' | 'fetch'>;

/** New connections at each call. */
export const transports: readonly (readonly [name: string, options: () => TransportOptions])[] = [
  ['undiciTransport, the default', () => ({})],
  ['undiciTransport in another transport', () => ({ transport: around(undiciTransport()) })],
  ['kyTransport', () => ({ transport: kyTransport() })],
  ['kyTransport with hooks', () => ({ transport: kyTransport(hooked) })],
  ['the option fetch', () => ({ fetch: (url, init) => globalThis.fetch(url, init) })],
];

const around = (inner: ReturnType<typeof undiciTransport>): typeof inner => ({
  ...inner,
  send: (request, options) => ({ ...inner.send(request, options) }),
});

const hooked = ky.extend({
  hooks: {
    beforeRequest: [
      (request) => {
        request.headers.set('x-trace', 'mine');
      },
    ],
    afterResponse: [
      (_request, _options, response) => {
        if (!Number.isInteger(response.status)) throw new Error('no status');
      },
    ],
  },
});

/** A scheduler that grants every permit at once, and how the permits are released. */
export function recordedPermits(): { readonly scheduler: Scheduler; readonly released: readonly string[] } {
  const released: string[] = [];
  const scheduler: Scheduler = {
    acquire: () => defer(() => of({ release: (use: string) => released.push(use) })),
    usage$: NEVER,
    events$: EMPTY,
  };
  return { scheduler, released };
}
