// Promise 2 under every fault, on every order endpoint, at every moment: the ledger has one order at most, and callers are told the truth.
import { createExchange, type Exchange, type Order } from 'exchange-rx';
import { createSandbox, type Fault, type FaultKind, type Sandbox } from 'exchange-rx/sandbox';
import type { Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { audit, learn, type Told } from './audit.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const paths = { open: '/api/v4/orders', ended: '/api/v4/trade-account/order/history' };

interface OrderEndpoint {
  readonly path: string;
  place(exchange: Exchange): Observable<Order>;
}

const market = 'BTC_USDT';
const endpoints: readonly OrderEndpoint[] = [
  { path: '/api/v4/order/stock_market', place: ({ spot }) => spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' }) },
  { path: '/api/v4/order/market', place: ({ spot }) => spot.placeMarketOrder({ market, side: 'buy', amount: '100' }) },
  { path: '/api/v4/order/collateral/limit', place: ({ collateral }) => collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '50000' }) },
];

const kinds: readonly FaultKind[] = ['status', 'refuse', 'reset', 'hang', 'late', 'slow', 'cut', 'corrupt', 'empty', 'html'];
const executions = [false, true];

/** One more thing that goes wrong at the same time. */
const circumstances: readonly { readonly name: string; readonly arrange: (sandbox: Sandbox) => void; readonly asksFirst?: boolean }[] = [
  { name: 'alone', arrange: () => undefined },
  { name: 'three times in a row', arrange: () => undefined },
  {
    name: 'with look-ups that fail, too',
    arrange: (sandbox) => {
      for (const path of Object.values(paths)) sandbox.fault({ kind: 'reset', path, times: 4 });
    },
  },
  { name: 'with an exchange whose clock is four minutes ahead', arrange: ({ clock }) => { clock.skew(240_000); } },
  { name: 'with an exchange whose clock is four minutes behind', arrange: ({ clock }) => { clock.skew(-240_000); }, asksFirst: true },
];

interface Run {
  readonly endpoint: OrderEndpoint;
  readonly faults: readonly Fault[];
  readonly arrange?: (sandbox: Sandbox) => void;
  readonly historyLagMs?: number;
  /** Whether the client has had an answer before. */
  readonly asksFirst?: boolean;
}

async function run({ endpoint, faults, arrange = () => undefined, historyLagMs = 0, asksFirst = false }: Run) {
  const sandbox = createSandbox({ volatility: 0, historyLagMs });
  arrange(sandbox);
  const exchange = createExchange({ ...sandbox.clientOptions(), timeoutMs: 4000 });
  if (asksFirst) {
    exchange.account.mainBalance().subscribe();
    await vi.advanceTimersByTimeAsync(100);
  }
  for (const fault of faults) sandbox.fault(fault);
  const learned = learn(endpoint.place(exchange));
  await vi.advanceTimersByTimeAsync(61_000);
  expect(learned.foreign).toBeUndefined();
  const told: readonly Told[] = learned.told === undefined ? [] : [learned.told];
  expect(told).toHaveLength(1);
  return { sandbox, told: told[0], ...audit(sandbox, told) };
}

describe.each(endpoints)('$path', (endpoint) => {
  const { path } = endpoint;

  describe.each(circumstances)('$name', ({ name, arrange, asksFirst = false }) => {
    const times = name === 'three times in a row' ? 3 : 1;
    it.each(kinds.flatMap((kind) => executions.map((executed) => ({ kind, executed }))))(
      '$kind (executed: $executed): one order at most, and the truth',
      async ({ kind, executed }) => {
        for (const delayMs of kind === 'late' || kind === 'slow' ? [100, 2000, 6000] : [1000]) {
          const result = await run({ endpoint, faults: [{ kind, executed, path, times, delayMs }], arrange, asksFirst });
          expect(result).toMatchObject({ doubled: 0, lost: 0, misreported: 0, unknown: 0 });
          // The exchange worked again in the end: the order is there.
          expect(result.told?.as).toBe('order');
        }
      },
    );
  });

  it.each([429, 500, 502, 408, 302, 404])('an answer of HTTP %i, from the gateway or from behind it', async (status) => {
    for (const executed of status === 429 || status === 404 ? [false] : executions) {
      const result = await run({ endpoint, faults: [{ kind: 'status', status, executed, path }] });
      expect(result).toMatchObject({ doubled: 0, lost: 0, misreported: 0, unknown: 0 });
      expect(result.told?.as).toBe(status === 404 ? 'not-placed' : 'order');
    }
  });

  it('nonces that another process has used', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = () => createExchange({ ...sandbox.clientOptions(), fetch: (...request) => sandbox.fetch(...request) });
    const all = Array.from({ length: 20 }, () => [learn(endpoint.place(exchange())), learn(endpoint.place(exchange()))]).flat();
    await vi.advanceTimersByTimeAsync(30_000);
    const told = all.flatMap((learned) => learned.told ?? []);
    expect(told).toHaveLength(40);
    expect(audit(sandbox, told)).toEqual({ doubled: 0, lost: 0, misreported: 0, unknown: 0 });
  });

  it.each([500, 2000, 4000])('a history that shows an order only after %i ms', async (historyLagMs) => {
    for (const executed of executions) {
      const result = await run({ endpoint, faults: [{ kind: 'reset', executed, path }], historyLagMs });
      expect(result).toMatchObject({ doubled: 0, lost: 0, misreported: 0, unknown: 0, told: { as: 'order' } });
    }
  });

  it('look-ups that never work leave the outcome unknown, and send nothing more', async () => {
    for (const executed of executions) {
      const result = await run({
        endpoint,
        faults: [{ kind: 'reset', executed, path }],
        arrange: (sandbox) => {
          for (const each of Object.values(paths)) sandbox.fault({ kind: 'status', path: each, times: 1000 });
        },
      });
      expect(result).toMatchObject({ doubled: 0, misreported: 0, unknown: 1 });
      expect(result.sandbox.ledger.requests.filter((request) => request.path === path).length).toBeLessThanOrEqual(1);
    }
  });

  it('a first order whose nonce lies minutes ahead of the exchange stays unknown: its request could still be executed then', async () => {
    const arrange = ({ clock }: Sandbox) => {
      clock.skew(-240_000);
    };
    const result = await run({ endpoint, faults: [{ kind: 'reset', path }], arrange });
    expect(result).toMatchObject({ doubled: 0, misreported: 0, unknown: 1 });
  });

  it('is decided within the window and a second', async () => {
    for (const executed of executions) {
      const sandbox = createSandbox({ volatility: 0 });
      sandbox.fault({ kind: 'reset', executed, path });
      const exchange = createExchange({ ...sandbox.clientOptions(), retry: false });
      const learned = learn(endpoint.place(exchange));
      await vi.advanceTimersByTimeAsync(6200);
      expect(learned.told?.as).toBe(executed ? 'order' : 'not-placed');
    }
  });
});
