// A process that is killed between executions, again and again, takes each execution of the sandbox once.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { start, type Child } from '../support/children.js';
import { seeded } from './setup.js';

const market = 'BTC_USDT';
const kills = 8;
/** Each life takes a token, and each loss of a connection another one. */
const tokens = { limit: 1000, windowMs: 60_000 };

describe('a program that continues from the cursor of the last execution', () => {
  it('takes each execution once, although it is killed between them', { timeout: 300_000 }, async () => {
    const random = seeded(1);
    const sandbox = createSandbox({
      markets: [{ name: market, price: '60000', minAmount: '0.0001' }],
      limits: { websocketToken: tokens },
    });
    const server = await sandbox.listen();
    const folder = mkdtempSync(join(tmpdir(), 'executions-'));
    const file = join(folder, 'taken');
    let child: Child | undefined;
    onTestFinished(async () => {
      child?.process.kill('SIGKILL');
      await server.close();
      rmSync(folder, { recursive: true });
    });
    const taken = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []);
    const client = { ...server.clientOptions(), limits: { 'account.websocketToken': tokens } };
    const options = { client, file, since: Math.floor(sandbox.clock.now() / 1000) };

    const trader = createExchange(sandbox.clientOptions());
    const ended = new AbortController();
    const trading = (async () => {
      while (!ended.signal.aborted) {
        const side = random() < 0.5 ? 'buy' : 'sell';
        // Cuts that wait for a connection would end each one.
        if (random() < 0.3 && sandbox.pendingFaults().length === 0) {
          const kinds = ['silent-loss', 'duplicate', 'reorder', 'history-lag', 'cut'] as const;
          const kind = kinds[Math.floor(random() * kinds.length)] ?? 'cut';
          sandbox.liveFault({ kind, channel: 'deals', ...(kind === 'history-lag' ? { delayMs: 1500 } : {}) });
        }
        const order = { market, side, amount: '0.001' } as const;
        await firstValueFrom(trader.spot.placeStockMarketOrder(order));
        await sleep(random() * 40);
      }
    })();
    for (let life = 0; life < kills; life += 1) {
      const before = taken().length;
      child = start(new URL('execution-program.ts', import.meta.url), options);
      await expect.poll(() => taken().length, { timeout: 60_000 }).toBeGreaterThan(before + 10);
      await sleep(random() * 300);
      child.process.kill('SIGKILL');
    }
    ended.abort();
    await trading;
    child = start(new URL('execution-program.ts', import.meta.url), options);
    const keys = () => taken().map((line) => line.split(' ')[0]);
    const wanted = () => sandbox.ledger.fills.map(({ id, order_id }) => `${id}/${order_id}`).toSorted();
    await expect.poll(() => keys().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(wanted().length);
    // What would come twice, comes within the second read.
    await sleep(5000);
    expect(keys().toSorted()).toEqual(wanted());
    expect(sandbox.ledger.fills.length).toBeGreaterThan(kills * 10);
  });
});
