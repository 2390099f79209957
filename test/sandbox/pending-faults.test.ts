// A fault that met nothing tested nothing: it can be listed and asserted, a path that does not exist is refused, and
// what a fault lost is in the ledger.
import { createExchange } from 'exchange-rx';
import { createSandbox, type FaultKind, type Sandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';
import { faultOf } from '../support/fault-of.js';

const market = 'BTC_USDT';
const stock = '/api/v4/order/stock_market';
const order = { market, side: 'buy', amount: '0.01', clientOrderId: 'mine' };

describe('faults that met no request', () => {
  it('are listed with how many requests they are still for, and asserted', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'status', path: stock, times: 3 });
    sandbox.fault({ kind: 'reset' });
    await sendRaw({ sandbox }, stock, order);
    expect(sandbox.pendingFaults()).toEqual([
      { kind: 'status', path: stock, times: 3, left: 2 },
      { kind: 'reset', left: 1 },
    ]);
    expect(() => {
      sandbox.assertNoPendingFaults();
    }).toThrow(`these faults met no request: status at ${stock} (2 of 3 left), reset at any path (1 of 1 left)`);
  });

  it('are none when each has met its requests', async () => {
    const sandbox = createSandbox();
    sandbox.unavailable({ path: stock, times: 2 });
    for (let count = 0; count < 2; count += 1) await sendRaw({ sandbox }, stock, order);
    expect(sandbox.pendingFaults()).toEqual([]);
    expect(() => {
      sandbox.assertNoPendingFaults();
    }).not.toThrow();
  });
});

describe('a response that a fault changes', () => {
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
  ])('has a field that is odd, each time: %s', async (_, path, fields) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const [whole, odd] = await Promise.all(
        [false, true].map(async (isOdd) => {
          const sandbox = createSandbox({ seed, clock: 'manual', volatility: 0 });
          if (path === orders)
            await sendRaw({ sandbox }, '/api/v4/order/collateral/limit', {
              market,
              side: 'buy',
              amount: '0.01',
              price: '50000',
            });
          if (isOdd) sandbox.fault({ kind: 'odd', path });
          const body = await bodyOf(sandbox, path, fields);
          sandbox.assertNoPendingFaults();
          return body;
        }),
      );
      expect(odd).not.toEqual(whole);
    }
  });

  it('has the same balances when it is odd, in another kind', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'odd', path: balance, times: 20 });
    const exchange = createExchange(sandbox.clientOptions());
    for (let count = 0; count < 20; count += 1) {
      const read = await firstValueFrom(exchange.account.mainBalance());
      expect(
        Object.fromEntries(Object.entries(read).map(([asset, { main_balance }]) => [asset, main_balance])),
      ).toEqual(sandbox.ledger.balances().main);
    }
  });

  it.each([
    ['a map', balance],
    ['a list', '/api/v4/public/markets'],
  ])('has a record that is none, each time: %s', async (_, path) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const sandbox = createSandbox({ seed });
      const whole = await bodyOf(sandbox, path, {});
      sandbox.fault({ kind: 'unreadable', path });
      expect(Object.keys((await bodyOf(sandbox, path, {})) as object)).toHaveLength(
        Object.keys(whole as object).length + 1,
      );
      sandbox.assertNoPendingFaults();
    }
  });

  it.each(['odd', 'unreadable'] as const)(
    'does not count for %s when there is nothing in it to change',
    async (kind) => {
      const sandbox = createSandbox();
      sandbox.fault({ kind, times: 2 });
      await sandbox.fetch(`${sandbox.baseUrl}/api/v4/public/ping`);
      expect((await sendRaw({ sandbox }, stock, { ...order, amount: 'x' })).status).toBe(422);
      await sendRaw({ sandbox }, orders, {});
      expect(sandbox.pendingFaults()).toEqual([{ kind, times: 2, left: 2 }]);
      expect(sandbox.ledger.requests.map(({ fault }) => fault)).toEqual([undefined, undefined, undefined]);
      await sendRaw({ sandbox }, balance, {});
      expect(sandbox.pendingFaults()).toEqual([{ kind, times: 2, left: 1 }]);
      expect(sandbox.ledger.requests.at(-1)?.fault).toBe(kind);
    },
  );
});

describe('a path that the sandbox has no route for', () => {
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
      'sandbox.unavailable',
      () => {
        sandbox.unavailable({ path: typo, times: 1 });
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
    ['createSandbox: dropIdentifiers', () => createSandbox({ dropIdentifiers: [typo] })],
  ])('is refused by %s, with the routes that there are', (where, mistake) => {
    expect(mistake).toThrow(`${where}: the sandbox has no route ${typo}; it has /api/v4/public/ping, `);
  });

  it('is met by faults once it is added', async () => {
    const own = createSandbox();
    own.route({ method: 'POST', path: typo, authentication: 'signed', handle: () => ({}) });
    own.fault({ kind: 'status', path: typo });
    expect(await sendRaw({ sandbox: own }, typo, {})).toMatchObject({ status: 503 });
    own.assertNoPendingFaults();
  });
});

describe('a request that a fault lost', () => {
  it.each<FaultKind>(['refuse', 'reset', 'cut', 'corrupt', 'empty', 'html'])(
    'is in the ledger without a status: %s',
    async (kind) => {
      const sandbox = createSandbox();
      sandbox.fault(faultOf(kind, { path: stock, executed: false }));
      await sendRaw({ sandbox }, stock, order).catch(() => undefined);
      expect(sandbox.ledger.requests).toMatchObject([
        {
          path: stock,
          method: 'POST',
          group: 'stockMarket',
          client_order_id: 'mine',
          nonce: expect.any(String) as string,
          status: undefined,
          fault: kind,
        },
      ]);
      expect(sandbox.ledger.orders).toEqual([]);
      expect(sandbox.ledger.largestWindow('stockMarket')).toBe(0);
    },
  );

  it('is in the ledger while nobody answers it', async () => {
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

  it('is in the ledger from when it was sent when it arrives late, and once', async () => {
    const sandbox = createSandbox({ clock: 'manual', volatility: 0 });
    const sentAt = sandbox.clock.now();
    sandbox.fault({ kind: 'late', path: stock, delayMs: 2000 });
    await sendRaw({ sandbox }, stock, order).catch(() => undefined);
    expect(sandbox.ledger.requests).toMatchObject([
      { client_order_id: 'mine', status: undefined, fault: 'late', at: sentAt },
    ]);
    sandbox.clock.advance(2000);
    expect(sandbox.ledger.requests).toMatchObject([
      { client_order_id: 'mine', status: 200, fault: 'late', at: sentAt + 2000 },
    ]);
  });

  it('has the status of its response, and its order, when only the response was lost', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'reset', path: stock, executed: true });
    await sendRaw({ sandbox }, stock, order).catch(() => undefined);
    const [placed] = sandbox.ledger.orders;
    expect(sandbox.ledger.requests).toMatchObject([{ status: 200, fault: 'reset', order_id: placed?.order_id }]);
  });
});

describe('a limit that the ledger is asked for', () => {
  it('must be one that there is', () => {
    expect(() => createSandbox().ledger.largestWindow('stockmarket')).toThrow(
      'ledger.largestWindow: the sandbox has no limit "stockmarket"; it has public, stockMarket',
    );
  });
});
