// What clients take for impossible, and the sandbox can do: each is shown here by requests of its own, without the SDK.
import { createSandbox, faultKinds, type FaultKind, type Sandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { rawAnswer, sendRaw } from '../contract/setup.js';

const market = 'BTC_USDT';
const paths = {
  stock: '/api/v4/order/stock_market',
  limit: '/api/v4/order/collateral/limit',
  cancel: '/api/v4/order/cancel',
  open: '/api/v4/orders',
  conditional: '/api/v4/conditional-orders',
  history: '/api/v4/trade-account/order/history',
};
const order = { market, side: 'buy', amount: '0.01', clientOrderId: 'mine' };
const limitOrder = { ...order, price: '50000' };
const still = (options = {}) => createSandbox({ clock: 'manual', volatility: 0, ...options });
const inWindow = ({ clock }: Sandbox) => ({ nonce: clock.now(), nonceWindow: true });
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('a request that a proxy replays', () => {
  const tooMany = { status: 429, body: { code: 0, message: 'Too many requests.', errors: {} } };

  it.each(['window', 'increasing'])(
    'is executed once, and the client gets the response to the copy: %s nonces',
    async (mode) => {
      const sandbox = still();
      sandbox.fault({ kind: 'replay', path: paths.stock });
      const nonce = mode === 'window' ? inWindow(sandbox) : { nonce: sandbox.clock.now() };
      expect(await sendRaw({ sandbox }, paths.stock, { ...order, ...nonce })).toEqual(tooMany);
      const [placed, ...others] = sandbox.ledger.orders;
      expect(others).toEqual([]);
      expect(sandbox.ledger.requests).toMatchObject([
        { status: 200, fault: 'replay', order_id: placed?.order_id, client_order_id: 'mine' },
        { status: 429, fault: 'replay', client_order_id: 'mine' },
      ]);
    },
  );

  it('later than its nonce is valid is refused for its age', async () => {
    const sandbox = still();
    sandbox.fault({ kind: 'replay', path: paths.stock, delayMs: 6000 });
    const response = sendRaw({ sandbox }, paths.stock, { ...order, ...inWindow(sandbox) });
    await settled();
    expect(sandbox.ledger.orders).toHaveLength(1);
    sandbox.clock.advance(6000);
    expect(await response).toMatchObject({
      status: 400,
      body: { code: 0, message: expect.stringContaining('5 seconds lesser') as string },
    });
    expect(sandbox.ledger.orders).toHaveLength(1);
  });
});

describe('a request that is accepted and executed later', () => {
  it('uses its nonce at once, and is executed whatever its age is then', async () => {
    const sandbox = still();
    sandbox.fault({ kind: 'delayed', path: paths.stock, delayMs: 8000 });
    const signed = { ...order, ...inWindow(sandbox) };
    await expect(sendRaw({ sandbox }, paths.stock, signed)).rejects.toThrow('fetch failed');
    expect(await sendRaw({ sandbox }, paths.stock, signed)).toMatchObject({ status: 429 });
    sandbox.clock.advance(7999);
    expect(sandbox.ledger.orders).toEqual([]);
    expect(sandbox.ledger.requests[0]).toMatchObject({ status: undefined, fault: 'delayed', client_order_id: 'mine' });
    sandbox.clock.advance(1);
    const [placed] = sandbox.ledger.orders;
    expect(placed).toMatchObject({ client_order_id: 'mine', status: 'FILLED', timestamp: sandbox.clock.now() / 1000 });
    expect(sandbox.ledger.requests[0]).toMatchObject({ status: 200, order_id: placed?.order_id });
  });

  it('is not executed when the gateway refuses it', async () => {
    const sandbox = still();
    sandbox.account().enableKey(false);
    sandbox.fault({ kind: 'delayed', path: paths.stock });
    await expect(sendRaw({ sandbox }, paths.stock, order)).rejects.toThrow('fetch failed');
    sandbox.clock.advance(60_000);
    expect([sandbox.ledger.orders, sandbox.ledger.requests]).toMatchObject([[], [{ status: 401 }]]);
  });

  it('may be answered by nothing at all, rather than by a lost connection', async () => {
    const sandbox = still();
    sandbox.fault({ kind: 'delayed', path: paths.stock, hang: true });
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    void sendRaw({ sandbox }, paths.stock, order).then(settle, settle);
    await settled();
    sandbox.clock.advance(7000);
    await settled();
    expect([isSettled, sandbox.ledger.orders.length]).toEqual([false, 1]);
  });
});

describe('a route that drops identifiers', () => {
  it('places orders without one, in the response, in lists and in the history', async () => {
    const sandbox = still({ dropIdentifiers: [paths.stock, paths.limit] });
    expect(await sendRaw({ sandbox }, paths.stock, order)).toMatchObject({ status: 200, body: { clientOrderId: '' } });
    expect(await sendRaw({ sandbox }, paths.limit, limitOrder)).toMatchObject({
      status: 200,
      body: { clientOrderId: '' },
    });
    expect(await sendRaw({ sandbox }, paths.open, { market, clientOrderId: 'mine' })).toEqual({
      status: 200,
      body: [],
    });
    expect(await sendRaw({ sandbox }, paths.history, { market, clientOrderId: 'mine' })).toMatchObject({ status: 422 });
    expect(await sendRaw({ sandbox }, paths.history, { market })).toMatchObject({
      body: { [market]: [{ clientOrderId: '' }] },
    });
    // The ledger knows which request placed which order all the same.
    const placedBy = sandbox.ledger.requests.filter(
      (request) => request.client_order_id === 'mine' && request.order_id !== undefined,
    );
    expect(placedBy.map(({ order_id }) => order_id)).toEqual(sandbox.ledger.orders.map(({ order_id }) => order_id));
  });

  it('is every route when it is told so: a list that is asked for an identifier shows every order', async () => {
    const sandbox = still({ dropIdentifiers: true });
    await sendRaw({ sandbox }, paths.limit, limitOrder);
    const { body } = await sendRaw({ sandbox }, paths.open, { market, clientOrderId: 'another' });
    expect(body).toMatchObject([{ clientOrderId: '' }]);
    expect(await sendRaw({ sandbox }, paths.cancel, { market, clientOrderId: 'mine' })).toMatchObject({ status: 422 });
  });
});

describe('the Date of responses', () => {
  const dateOf = async ({ fetch, baseUrl }: Sandbox) =>
    Date.parse((await fetch(`${baseUrl}/api/v4/public/ping`)).headers.get('date') ?? '');

  it('is off as it is told, and nonces and the time go by the clock', async () => {
    const sandbox = still({ dateOffsetMs: -6000 });
    expect(await dateOf(sandbox)).toBe(sandbox.clock.now() - 6000);
    sandbox.setDateOffset(5000);
    expect(await dateOf(sandbox)).toBe(sandbox.clock.now() + 5000);
    const { fetch, baseUrl, clock } = sandbox;
    expect(await rawAnswer(await fetch(`${baseUrl}/api/v4/public/time`))).toMatchObject({
      body: { time: clock.now() / 1000 },
    });
    expect(await sendRaw({ sandbox }, paths.stock, { ...order, ...inWindow(sandbox) })).toMatchObject({ status: 200 });
  });
});

describe('open orders with a stop loss or take profit', () => {
  const oto = { ...limitOrder, stopLoss: '40000', takeProfit: '70000' };
  const openIn = async (sandbox: Sandbox) => [
    ((await sendRaw({ sandbox }, paths.open, { market, clientOrderId: 'mine' })).body as unknown[]).length,
    ((await sendRaw({ sandbox }, paths.conditional, { market })).body as { records: unknown[] }).records.length,
  ];

  it('are listed among the conditional orders, and among the open ones unless they are told not to be', async () => {
    for (const conditionalListing of [false, true]) {
      const sandbox = still({ conditionalListing });
      await sendRaw({ sandbox }, paths.limit, oto);
      expect(await openIn(sandbox)).toEqual([conditionalListing ? 0 : 1, 1]);
    }
  });

  it('are there as published, page by page', async () => {
    const sandbox = still({ conditionalListing: true });
    await sendRaw({ sandbox }, paths.limit, { ...oto, clientOrderId: 'one' });
    await sendRaw({ sandbox }, paths.limit, { ...oto, clientOrderId: 'two' });
    await sendRaw({ sandbox }, paths.limit, limitOrder);
    const { body } = await sendRaw({ sandbox }, paths.conditional, { limit: 1, offset: 1 });
    expect(body).toMatchObject({
      limit: 1,
      offset: 1,
      total: 2,
      records: [
        {
          id: expect.any(Number) as number,
          type: 'oto',
          stopLossPrice: '40000',
          takeProfitPrice: '70000',
          conditionalOrder: {
            clientOrderId: 'one',
            market,
            side: 'buy',
            price: '50000',
            oto: { stopLoss: '40000', takeProfit: '70000' },
          },
        },
      ],
    });
    expect(await sendRaw({ sandbox }, paths.conditional, { market: 'ETH_USDT' })).toMatchObject({
      body: { total: 0, records: [] },
    });
  });

  it('are in the history once they have ended', async () => {
    const sandbox = still({ conditionalListing: true });
    await sendRaw({ sandbox }, paths.limit, oto);
    await sendRaw({ sandbox }, paths.cancel, { market, clientOrderId: 'mine' });
    expect(await openIn(sandbox)).toEqual([0, 0]);
    expect(await sendRaw({ sandbox }, paths.history, { market, clientOrderId: 'mine' })).toMatchObject({
      body: { [market]: [{ clientOrderId: 'mine' }] },
    });
  });
});

describe('odd fields', () => {
  const decisive = ['orderId', 'id', 'clientOrderId', 'market', 'side', 'status'];

  it('are null, absent or of another kind, and those that decide are true', async () => {
    const sandbox = still();
    const plain = new Set<string>();
    const seen = { absent: 0, null: 0, otherKind: 0, same: 0 };
    for (let count = 0; count < 50; count += 1) {
      const { body } = await sendRaw({ sandbox }, paths.limit, { ...limitOrder, clientOrderId: `order-${count}` });
      for (const field of Object.keys(body as object)) plain.add(field);
      sandbox.fault({ kind: 'odd', path: paths.cancel });
      const odd = (await sendRaw({ sandbox }, paths.cancel, { market, clientOrderId: `order-${count}` }))
        .body as Record<string, unknown>;
      for (const field of decisive.filter((name) => plain.has(name) && name !== 'status'))
        expect(odd[field]).toBe((body as Record<string, unknown>)[field]);
      expect(odd['status']).toBe('CANCELED');
      for (const field of plain) {
        if (decisive.includes(field)) continue;
        if (!(field in odd)) seen.absent += 1;
        else if (odd[field] === null) seen.null += 1;
        else if (JSON.stringify(odd[field]) === JSON.stringify((body as Record<string, unknown>)[field]))
          seen.same += 1;
        else seen.otherKind += 1;
      }
    }
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
  });

  it('are the same for the same seed, and in the records of lists, too', async () => {
    const oddLists = async (seed: number) => {
      const sandbox = still({ seed });
      await sendRaw({ sandbox }, paths.limit, limitOrder);
      await sendRaw({ sandbox }, paths.stock, { ...order, clientOrderId: 'filled' });
      sandbox.fault({ kind: 'odd', times: 2 });
      return [
        (await sendRaw({ sandbox }, paths.open, { market })).body,
        (await sendRaw({ sandbox }, paths.history, { market })).body,
      ];
    };
    const lists = await oddLists(5);
    expect(lists).toEqual(await oddLists(5));
    expect(lists).not.toEqual(await oddLists(6));
    expect(lists).toMatchObject([
      [{ clientOrderId: 'mine', market, side: 'buy' }],
      { [market]: [{ clientOrderId: 'filled', side: 'buy' }] },
    ]);
  });
});

describe('an unreadable record', () => {
  it('is one more in each list and each map that has records', async () => {
    const sandbox = still();
    await sendRaw({ sandbox }, paths.limit, limitOrder);
    await sendRaw({ sandbox }, paths.stock, { ...order, clientOrderId: 'filled' });
    sandbox.fault({ kind: 'unreadable', times: 4 });
    const open = (await sendRaw({ sandbox }, paths.open, { market })).body as unknown[];
    const history = (await sendRaw({ sandbox }, paths.history, { market })).body as Record<string, unknown[]>;
    expect([open.length, history[market]?.length]).toEqual([2, 2]);
    expect(open).toEqual(expect.arrayContaining([expect.objectContaining({ clientOrderId: 'mine' })]));
    expect((await sendRaw({ sandbox }, paths.open, { market: 'ETH_USDT' })).body).toEqual([]);
    expect((await sendRaw({ sandbox }, '/api/v4/order/kill-switch', { market, timeout: null })).body).toEqual([]);
  });
});

describe('faults at random', () => {
  const facedBy = async (kinds?: readonly FaultKind[]) => {
    const sandbox = createSandbox();
    sandbox.randomFaults({ seed: 4, rate: 1, longestDelayMs: 1, ...(kinds === undefined ? {} : { kinds }) });
    const leaving = new AbortController();
    setTimeout(() => {
      leaving.abort();
    }, 1000);
    // A response that every kind can spoil.
    const read = () =>
      sandbox.fetch(`${sandbox.baseUrl}/api/v4/public/markets`, { signal: leaving.signal }).catch(() => undefined);
    await Promise.all(Array.from({ length: 300 }, read));
    return new Set(sandbox.ledger.requests.map(({ fault }) => fault));
  };

  it('are those of a network and a gateway, unless others are named', async () => {
    const premises: readonly unknown[] = ['replay', 'delayed', 'odd', 'unreadable'];
    expect(await facedBy()).toEqual(new Set(faultKinds.filter((kind) => !premises.includes(kind))));
  });

  it('are all kinds when all are named', async () => {
    expect(await facedBy(faultKinds)).toEqual(new Set(faultKinds));
  });
});
