// Nonces are bounded by the clock: one a millisecond.
import { ClientRegistry, createExchange, type Transport } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { useFakeTime } from '../support/fake-time.js';

const time = useFakeTime();

describe('nonces', () => {
  it('never run out in a burst: requests wait for a nonce', async () => {
    const enough = { limit: 20_000, windowMs: 10_000 };
    const nonces = new Set<unknown>();
    // A sandbox would take a millisecond for each request.
    const transport: Transport = {
      send: ({ body = '{}' }) => {
        nonces.add((JSON.parse(body) as { readonly nonce: unknown }).nonce);
        return { response: Promise.resolve({ status: 200, headers: {}, body: '{}' }), abort: () => undefined };
      },
    };
    const exchange = createExchange({
      ...{ baseUrl: 'https://exchange.example', credentials: { apiKey: 'key', apiSecret: 'secret' }, transport },
      ...{ registry: new ClientRegistry(), limits: { mainAccount: enough }, maxInFlight: 20_000 },
    });
    const failures: unknown[] = [];
    let ended = 0;
    const count = 5500;
    for (let sent = 0; sent < count; sent += 1) {
      exchange.account
        .mainBalance()
        .subscribe({ next: () => (ended += 1), error: (error: unknown) => failures.push(error) });
    }
    await time.advance(100);
    expect(ended).toBeLessThan(count);
    await time.advance(3000);
    expect([ended, nonces.size, failures]).toEqual([count, count, []]);
  });
});
