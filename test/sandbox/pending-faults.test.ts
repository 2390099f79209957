// Injected faults: those that no request met are listed and asserted, and the ledger has the requests that a fault lost.
import { createSandbox, type FaultKind, type Sandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';
import { faultOf } from '../support/fault-of.js';

const market = 'BTC_USDT';
const stock = '/api/v4/order/stock_market';
const order = { market, side: 'buy', amount: '0.01', clientOrderId: 'mine' };

it('pending faults are listed with their remaining requests, and assertNoPendingFaults throws', async () => {
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

describe('a request that met a fault', () => {
  it.each<FaultKind>(['refuse', 'reset', 'truncated', 'corrupt', 'empty', 'html'])(
    'is in the ledger without a status when it was lost: %s',
    async (kind) => {
      const sandbox = createSandbox();
      sandbox.fault(faultOf(kind, { path: stock, executed: false }));
      await sendRaw({ sandbox }, stock, order).catch(() => undefined);
      const request = { path: stock, method: 'POST', client_order_id: 'mine', nonce: expect.any(String) as string };
      expect(sandbox.ledger.requests).toMatchObject([{ ...request, status: undefined, fault: kind }]);
      expect(sandbox.ledger.orders).toEqual([]);
      expect(sandbox.ledger.maxRequestsInWindow(stock)).toBe(0);
    },
  );

  it('is in the ledger while its response hangs', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'hang', path: stock });
    const abort = new AbortController();
    const fetch: Sandbox['fetch'] = (input, init) => sandbox.fetch(input, { ...init, signal: abort.signal });
    const aborted = { ...sandbox, clientOptions: () => ({ ...sandbox.clientOptions(), fetch }) };
    const lost = sendRaw({ sandbox: aborted }, stock, order);
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
