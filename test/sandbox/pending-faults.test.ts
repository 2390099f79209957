// A fault that met nothing tested nothing: it can be listed and asserted, a path that does not exist is refused, and what a fault lost is in the ledger.
import { createSandbox, type FaultKind } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';

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

describe('a path that the sandbox has no route for', () => {
  const typo = '/api/v4/order/stock-market';
  const sandbox = createSandbox();

  it.each<[string, () => unknown]>([
    ['sandbox.fault', () => { sandbox.fault({ kind: 'reset', path: typo }); }],
    ['sandbox.unavailable', () => { sandbox.unavailable({ path: typo, times: 1 }); }],
    ['sandbox.faultsAtRandom', () => { sandbox.faultsAtRandom({ seed: 1, rate: 0.5, paths: [stock, typo] }); }],
    ['account.restrictKey', () => { sandbox.account().restrictKey([typo]); }],
    ['account.withdrawProducts', () => { sandbox.account().withdrawProducts([typo]); }],
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
  it.each<FaultKind>(['refuse', 'reset', 'cut', 'corrupt', 'empty', 'html'])('is in the ledger without a status: %s', async (kind) => {
    const sandbox = createSandbox();
    sandbox.fault({ kind, path: stock, executed: false });
    await sendRaw({ sandbox }, stock, order).catch(() => undefined);
    expect(sandbox.ledger.requests).toMatchObject([
      { path: stock, method: 'POST', group: 'stockMarket', client_order_id: 'mine', nonce: expect.any(String) as string, status: undefined, fault: kind },
    ]);
    expect(sandbox.ledger.orders).toEqual([]);
    expect(sandbox.ledger.largestWindow('stockMarket')).toBe(0);
  });

  it('is in the ledger while nobody answers it', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'hang', path: stock });
    const abort = new AbortController();
    const { baseUrl, fetch } = sandbox;
    const lost = fetch(baseUrl + stock, { method: 'POST', body: '{"clientOrderId":"mine"}', signal: abort.signal });
    await expect.poll(() => sandbox.ledger.requests.length).toBe(1);
    expect(sandbox.ledger.requests).toMatchObject([{ client_order_id: 'mine', status: undefined, fault: 'hang' }]);
    abort.abort();
    await expect(lost).rejects.toThrow('aborted');
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
    expect(() => createSandbox().ledger.largestWindow('stockmarket')).toThrow('ledger.largestWindow: the sandbox has no limit "stockmarket"; it has public, stockMarket');
  });
});
