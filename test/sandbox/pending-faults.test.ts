// Injected faults: those that no request met are listed and asserted, unknown paths are rejected, and the ledger has
// the requests that a fault lost.
import { createExchange } from 'exchange-rx';
import { createSandbox, type FaultKind, type Sandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';
import { faultOf } from '../support/fault-of.js';

const market = 'BTC_USDT';
const stock = '/api/v4/order/stock_market';
const order = { market, side: 'buy', amount: '0.01', clientOrderId: 'mine' };

describe('pending faults', () => {
  it('are listed with their remaining requests, and assertNoPendingFaults throws', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'status', path: stock, times: 3 });
    sandbox.fault({ kind: 'reset' });
    await sendRaw({ sandbox }, stock, order);
    expect(sandbox.pendingFaults()).toEqual([
      { kind: 'status', path: stock, times: 3, remaining: 2 },
      { kind: 'reset', remaining: 1 },
    ]);
    expect(() => {
      sandbox.assertNoPendingFaults();
    }).toThrow(
      `these faults are still pending: status at ${stock} (2 of 3 remaining), reset at any path (1 of 1 remaining)`,
    );
  });
});

describe('a fault that changes a response', () => {
  const balance = '/api/v4/main-account/balance';
  const leverage = '/api/v4/collateral-account/leverage';
  const time = '/api/v4/public/time';
  const orders = '/api/v4/orders';

  const bodyOf = async (sandbox: Sandbox, path: string, fields: Readonly<Record<string, unknown>>) =>
    path.includes('/public/')
      ? await (await sandbox.fetch(sandbox.baseUrl + path)).json()
      : (await sendRaw({ sandbox }, path, fields)).body;

  it.each([
    ['a map', balance, {}],
    ['a balance', balance, { ticker: 'BTC' }],
    ['a leverage', leverage, { leverage: 5 }],
    ['the time', time, {}],
    ['an order', stock, order],
    ['a list', orders, {}],
  ])('changes at least one field each time: %s', async (_, path, fields) => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const [original, changed] = await Promise.all(
        [false, true].map(async (isChanged) => {
          const sandbox = createSandbox({ seed, clock: 'manual', volatility: 0 });
          if (path === orders)
            await sendRaw({ sandbox }, '/api/v4/order/collateral/limit', {
              market,
              side: 'buy',
              amount: '0.01',
              price: '50000',
            });
          if (isChanged) sandbox.fault({ kind: 'unexpected-fields', path });
          const body = await bodyOf(sandbox, path, fields);
          sandbox.assertNoPendingFaults();
          return body;
        }),
      );
      expect(changed).not.toEqual(original);
    }
  });

  it('keeps the balances when it changes their notation', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'unexpected-fields', path: balance, times: 20 });
    const exchange = createExchange(sandbox.clientOptions());
    for (let count = 0; count < 20; count += 1) {
      const balances = await firstValueFrom(exchange.account.mainBalance());
      expect(
        Object.fromEntries(Object.entries(balances).map(([asset, { main_balance }]) => [asset, main_balance])),
      ).toEqual(sandbox.ledger.balances().main);
    }
  });

  it.each(['unexpected-fields', 'malformed-records'] as const)(
    'stays pending when there is nothing to change: %s',
    async (kind) => {
      const sandbox = createSandbox();
      sandbox.fault({ kind, times: 2 });
      await sandbox.fetch(`${sandbox.baseUrl}/api/v4/public/ping`);
      expect((await sendRaw({ sandbox }, stock, { ...order, amount: 'x' })).status).toBe(422);
      await sendRaw({ sandbox }, orders, {});
      expect(sandbox.pendingFaults()).toEqual([{ kind, times: 2, remaining: 2 }]);
      expect(sandbox.ledger.requests.map(({ fault }) => fault)).toEqual([undefined, undefined, undefined]);
      await sendRaw({ sandbox }, balance, {});
      expect(sandbox.pendingFaults()).toEqual([{ kind, times: 2, remaining: 1 }]);
      expect(sandbox.ledger.requests.at(-1)?.fault).toBe(kind);
    },
  );
});

describe('a path without a route', () => {
  const typo = '/api/v4/order/stock-market';
  const sandbox = createSandbox();

  it.each<[string, () => unknown]>([
    [
      'sandbox.fault',
      () => {
        sandbox.fault({ kind: 'reset', path: typo });
      },
    ],
    [
      'sandbox.randomFaults',
      () => {
        sandbox.randomFaults({ seed: 1, rate: 0.5, paths: [stock, typo] });
      },
    ],
    [
      'account.restrictKey',
      () => {
        sandbox.account().restrictKey([typo]);
      },
    ],
    [
      'account.revokePaths',
      () => {
        sandbox.account().revokePaths([typo]);
      },
    ],
    ['createSandbox: ignoreClientOrderIds', () => createSandbox({ ignoreClientOrderIds: [typo] })],
  ])('is rejected by %s, with a list of the routes', (where, mistake) => {
    expect(mistake).toThrow(`${where}: the sandbox has no route ${typo}; it has /api/v4/public/ping, `);
  });
});

describe('a request that met a fault', () => {
  it.each<FaultKind>(['refuse', 'reset', 'truncated', 'corrupt', 'empty', 'html'])(
    'is in the ledger without a status when it was lost: %s',
    async (kind) => {
      const sandbox = createSandbox();
      sandbox.fault(faultOf(kind, { path: stock, executed: false }));
      await sendRaw({ sandbox }, stock, order).catch(() => undefined);
      expect(sandbox.ledger.requests).toMatchObject([
        {
          path: stock,
          method: 'POST',
          rateLimit: 'stockMarket',
          client_order_id: 'mine',
          nonce: expect.any(String) as string,
          status: undefined,
          fault: kind,
        },
      ]);
      expect(sandbox.ledger.orders).toEqual([]);
      expect(sandbox.ledger.maxRequestsInWindow('stockMarket')).toBe(0);
    },
  );

  it('is in the ledger while its response hangs', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'hang', path: stock });
    const abort = new AbortController();
    const fetch: Sandbox['fetch'] = (input, init) => sandbox.fetch(input, { ...init, signal: abort.signal });
    const lost = sendRaw(
      { sandbox: { ...sandbox, clientOptions: () => ({ ...sandbox.clientOptions(), fetch }) } },
      stock,
      order,
    );
    await expect.poll(() => sandbox.ledger.requests.length).toBe(1);
    expect(sandbox.ledger.requests).toMatchObject([{ client_order_id: 'mine', status: undefined, fault: 'hang' }]);
    abort.abort();
    await expect(lost).rejects.toThrow('aborted');
  });

  it('has its status and its order in the ledger when only the response was lost', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'reset', path: stock, executed: true });
    await sendRaw({ sandbox }, stock, order).catch(() => undefined);
    const [placed] = sandbox.ledger.orders;
    expect(sandbox.ledger.requests).toMatchObject([{ status: 200, fault: 'reset', order_id: placed?.order_id }]);
  });
});
