// The sandbox on a port: whom it answers, and what faults of the connection are on a real socket.
import { createExchange } from 'exchange-rx';
import { createSandbox, type FaultKind } from 'exchange-rx/sandbox';
import { Agent, get } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { catchError, EMPTY, lastValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';

async function meet(
  kind: FaultKind,
): Promise<{ readonly response: Promise<Response>; readonly close: () => Promise<void> }> {
  const sandbox = createSandbox();
  const server = await sandbox.listen();
  sandbox.fault({ kind });
  return { response: fetch(`${server.baseUrl}/api/v4/public/ping`), close: () => server.close() };
}

describe('a sandbox on a port', () => {
  it('breaks the connection in the middle of an answer that is cut, and prints nothing', async () => {
    const printed = vi.spyOn(console, 'error');
    const { response, close } = await meet('cut');
    const answer = await response;
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
    await close();
  });

  it('breaks the connection before the answer when it is reset', async () => {
    const { response, close } = await meet('reset');
    await expect(response).rejects.toThrow('fetch failed');
    await close();
  });

  it('executes nothing any more once it is closed, also of what had arrived before', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const server = await sandbox.listen();
    const { spot } = createExchange({ ...server.clientOptions(), retry: false, lookupTimeoutMs: 0 });
    const asked = Array.from({ length: 200 }, () =>
      lastValueFrom(
        spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.001' }).pipe(catchError(() => EMPTY)),
        { defaultValue: undefined },
      ),
    );
    while (sandbox.ledger.orders.length < 5) await turn();
    await server.close();
    const executed = sandbox.ledger.orders.length;
    expect(executed).toBeLessThan(200);
    await Promise.all(asked);
    for (let turns = 0; turns < 200; turns += 1) await turn();
    expect(sandbox.ledger.orders).toHaveLength(executed);
  });

  it('takes connections while it answers hundreds of others', async () => {
    const server = await createSandbox().listen();
    let answers = 0;
    /** Asks again and again; tells how many answers there were when its connection had the first. */
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
        first ??= answers;
        answers += 1;
      } while (answers < 4000);
      agent.destroy();
      return first;
    };
    const firsts = await Promise.all(Array.from({ length: 400 }, connection));
    expect(Math.max(...firsts)).toBeLessThan(2000);
    await server.close();
  });
});
