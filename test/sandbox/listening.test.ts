// The sandbox on a port: faults of the connection on a real socket, closing, and many connections.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { Agent, get } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { catchError, EMPTY, lastValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

describe('a sandbox on a port', () => {
  it('closes the connection in the middle of a truncated response, or before the response to a reset request, and prints nothing', async () => {
    const printed = vi.spyOn(console, 'error');
    onTestFinished(() => {
      printed.mockRestore();
    });
    const sandbox = createSandbox();
    const server = await sandbox.listen();
    onTestFinished(() => server.close());
    sandbox.fault({ kind: 'truncated' });
    const truncated = await fetch(`${server.baseUrl}/api/v4/public/ping`);
    expect(truncated.status).toBe(200);
    await expect(truncated.text()).rejects.toThrow('terminated');
    sandbox.fault({ kind: 'reset' });
    await expect(fetch(`${server.baseUrl}/api/v4/public/ping`)).rejects.toThrow('fetch failed');
    expect(printed).not.toHaveBeenCalled();
  });

  it('executes no request after close, not even one that arrived before', async () => {
    // On a busy machine, the nonces of a real clock can be too old when the requests are read.
    const sandbox = createSandbox({ clock: 'manual', volatility: 0 });
    const server = await sandbox.listen();
    const patient = { retry: false, lookupTimeoutMs: 0, timeoutMs: 60_000, now: () => sandbox.clock.now() } as const;
    const { spot } = createExchange({ ...server.clientOptions(), ...patient });
    const orders = Array.from({ length: 60 }, () =>
      lastValueFrom(
        spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.001' }).pipe(catchError(() => EMPTY)),
        { defaultValue: undefined },
      ),
    );
    while (sandbox.ledger.orders.length < 5) await turn();
    await server.close();
    const executed = sandbox.ledger.orders.length;
    expect(executed).toBeLessThan(60);
    await Promise.all(orders);
    for (let turns = 0; turns < 200; turns += 1) await turn();
    expect(sandbox.ledger.orders).toHaveLength(executed);
  });

  it('accepts connections while it responds to many others', async () => {
    const server = await createSandbox().listen();
    let responses = 0;
    /** Sends requests in a row; resolves to the number of all responses when its first response arrived. */
    const connection = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      let first: number | undefined;
      do {
        await new Promise((resolve, reject) => {
          get(`${server.baseUrl}/api/v4/public/time`, { agent }, (response) => response.resume().on('end', resolve)).on(
            'error',
            reject,
          );
        });
        first ??= responses;
        responses += 1;
      } while (responses < 300);
      agent.destroy();
      return first;
    };
    expect(Math.max(...(await Promise.all(Array.from({ length: 60 }, connection))))).toBeLessThan(200);
    await server.close();
  }, 60_000);
});
