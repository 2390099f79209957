// Promise 2 under every fault, for orders of a kind, at every moment: the ledger has one order at most, and callers get
// the true outcome.
import { createExchange, type CallOptions } from 'exchange-rx';
import { createSandbox, faultKinds, type Fault, type Sandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { mergeMap } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { audit, learn, type Reported } from './audit.js';
import { faultOf } from '../support/fault-of.js';
import { ocoOrderKind, orderKinds, type OrderKind } from '../support/order-kinds.js';

const thorough: readonly string[] = [
  'spot.placeStockMarketOrder',
  'spot.placeMarketOrder',
  'collateral.placeLimitOrder',
] satisfies readonly OrderKind['endpoint'][];
export const inEveryCircumstance = [...orderKinds.filter(({ endpoint }) => thorough.includes(endpoint)), ocoOrderKind];
/** They share lookups and proofs with the others. */
export const inSomeCircumstances = orderKinds.filter(({ endpoint }) => !thorough.includes(endpoint));

const lookups = [
  '/api/v4/orders',
  '/api/v4/trade-account/order/history',
  '/api/v4/conditional-orders',
  '/api/v4/oco-orders',
];

/** Long enough to send an order again after a proof. */
const patient: CallOptions = { validForMs: 60_000 };
const executions = [false, true];
const spoiling = faultKinds.filter((kind) => kind !== 'unexpected-fields' && kind !== 'malformed-records');

/** One more thing that is so at the same time. */
export interface Circumstance {
  readonly name: string;
  readonly sandbox?: SandboxOptions;
  /** Before the client has sent anything. */
  readonly before?: (sandbox: Sandbox) => void;
  /** After it has placed an order. */
  readonly arrange?: (sandbox: Sandbox) => void;
}

export const circumstances: readonly Circumstance[] = [
  { name: 'alone' },
  { name: 'three times in a row' },
  {
    name: 'with lookups that fail, too',
    arrange: (sandbox) => {
      for (const path of lookups) sandbox.fault({ kind: 'reset', path, times: 4 });
    },
  },
  {
    name: 'with an exchange whose clock is four minutes ahead',
    before: ({ clock }) => {
      clock.skew(240_000);
    },
  },
  {
    name: 'with an exchange whose clock is four minutes behind',
    before: ({ clock }) => {
      clock.skew(-240_000);
    },
  },
  {
    name: 'with an exchange whose clock is set four minutes forward meanwhile',
    arrange: ({ clock }) => {
      clock.skew(240_000);
    },
  },
  { name: 'with a header Date that is 6 s behind', sandbox: { dateHeaderOffsetMs: -6000 } },
  { name: 'with a header Date that is an hour ahead', sandbox: { dateHeaderOffsetMs: 3_600_000 } },
  {
    name: 'with odd fields in every response',
    arrange: (sandbox) => {
      sandbox.randomFaults({ seed: 1, rate: 1, kinds: ['unexpected-fields'] });
    },
  },
];

interface Run {
  readonly kind: OrderKind;
  readonly faults: readonly Fault[];
  readonly sandbox?: SandboxOptions | undefined;
  readonly before?: ((sandbox: Sandbox) => void) | undefined;
  readonly arrange?: ((sandbox: Sandbox) => void) | undefined;
  /** Whether the client has placed an order before, whose response bore its identifier. */
  readonly hasPlaced?: boolean;
  readonly options?: CallOptions;
}

async function runOrder({
  kind: order,
  faults,
  sandbox: given = {},
  before,
  arrange,
  hasPlaced = true,
  options = patient,
}: Run) {
  const sandbox = createSandbox({ volatility: 0, separateConditionalOrders: true, ...given });
  before?.(sandbox);
  const exchange = createExchange({ ...sandbox.clientOptions(), timeoutMs: 4000 });
  if (hasPlaced) {
    // Another of twice the amount. A clock that is minutes away takes two readings, a second after each other.
    order.place(exchange, { amount: String(2 * Number(order.amount)) }).subscribe();
    await vi.advanceTimersByTimeAsync(3000);
  }
  arrange?.(sandbox);
  for (const fault of faults) sandbox.fault(fault);
  const learned = learn(order.place(exchange, { amount: order.amount }, options), order.amount);
  await vi.advanceTimersByTimeAsync(90_000);
  expect(learned.foreign).toBeUndefined();
  const reported: readonly Reported[] = learned.reported === undefined ? [] : [learned.reported];
  expect(reported).toHaveLength(1);
  return { sandbox, reported: reported[0], ...audit(sandbox, reported) };
}

const right = { doubled: 0, lost: 0, misreported: 0, unknown: 0 };

/** `among` are the circumstances in which every fault is tried. */
export function describeUnderFaults(order: OrderKind, among: readonly Circumstance[]): void {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const { path } = order;
  const run = (given: Omit<Run, 'kind'>) => runOrder({ kind: order, ...given });

  describe.each(among)('$name', ({ name, before, arrange, sandbox }) => {
    const times = name === 'three times in a row' ? 3 : 1;
    it.each(spoiling.flatMap((kind) => executions.map((executed) => ({ kind, executed }))))(
      '$kind (executed: $executed): one order at most, and the truth',
      async ({ kind, executed }) => {
        for (const delayMs of kind === 'late-arrival' ||
        kind === 'slow' ||
        kind === 'replay' ||
        kind === 'late-execution'
          ? [100, 2000, 6000, 9000]
          : [1000]) {
          const result = await run({
            faults: [faultOf(kind, { executed, path, times, delayMs })],
            before,
            arrange,
            sandbox,
          });
          expect(result, `delay ${delayMs} ms`).toMatchObject({ doubled: 0, lost: 0, misreported: 0 });
          // Three proofs take longer than the order is valid, and than it is looked up.
          if (times === 1)
            expect(result, `delay ${delayMs} ms`).toMatchObject({ unknown: 0, reported: { as: 'order' } });
        }
      },
    );
  });

  it.each([429, 500, 502, 408, 302, 404])(
    'a response of HTTP %i, from the gateway or from behind it',
    async (status) => {
      for (const executed of status === 429 || status === 404 ? [false] : executions) {
        const result = await run({ faults: [{ kind: 'status', status, executed, path }] });
        expect(result).toMatchObject(right);
        expect(result.reported?.as).toBe(status === 404 ? 'not-placed' : 'order');
      }
    },
  );

  it('nonces that another process has used', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = () =>
      createExchange({ ...sandbox.clientOptions(), fetch: (...request) => sandbox.fetch(...request) });
    const clients = Array.from({ length: 40 }, exchange);
    const all = clients.map((client, index) => {
      const amount = String(Number(order.amount) * (index + 1));
      const first$ = order.place(client, { amount: String(Number(order.amount) * (index + 101)) });
      return learn(first$.pipe(mergeMap(() => order.place(client, { amount }))), amount);
    });
    await vi.advanceTimersByTimeAsync(90_000);
    const reported = all.flatMap((learned) => learned.reported ?? []);
    expect(reported).toHaveLength(40);
    expect(audit(sandbox, reported)).toMatchObject({ doubled: 0, lost: 0, misreported: 0 });
  });

  it.each([500, 2000, 4000])('a history that shows an order only after %i ms', async (historyLagMs) => {
    for (const executed of executions) {
      const result = await run({ faults: [{ kind: 'reset', executed, path }], sandbox: { historyLagMs } });
      expect(result).toMatchObject({ ...right, reported: { as: 'order' } });
    }
  });

  it('when every lookup fails, the outcome is unknown and no further order request is sent', async () => {
    for (const executed of executions) {
      const result = await run({
        faults: [{ kind: 'reset', executed, path }],
        hasPlaced: false,
        arrange: (sandbox) => {
          for (const each of lookups) sandbox.fault({ kind: 'status', path: each, times: 1000 });
        },
      });
      expect(result).toMatchObject({ doubled: 0, misreported: 0, unknown: 1 });
      expect(result.sandbox.ledger.requests.filter((request) => request.path === path).length).toBeLessThanOrEqual(1);
    }
  });

  it('an order that a default client proves absent is not executed later, and is not retried after its validity', async () => {
    const result = await run({ faults: [{ kind: 'reset', executed: false, path }], options: {} });
    expect(result).toMatchObject({
      ...right,
      reported: { as: 'not-placed', error: { kind: 'not-placed', outcome: 'not-executed' } },
    });
    expect(result.sandbox.ledger.orders.filter(({ amount }) => amount === order.amount)).toEqual([]);
  });

  it('the first order of a client is found or stays unknown, because no order has shown that identifiers are kept', async () => {
    for (const executed of executions) {
      const result = await run({ faults: [{ kind: 'reset', executed, path }], hasPlaced: false });
      expect(result).toMatchObject({ ...right, unknown: executed ? 0 : 1 });
    }
  });

  it('on a route that drops identifiers, the outcome is unknown and no further order request is sent', async () => {
    for (const hasPlaced of [false, true]) {
      for (const executed of executions) {
        const result = await run({
          faults: [{ kind: 'reset', executed, path }],
          hasPlaced,
          sandbox: { ignoreClientOrderIds: [path] },
        });
        expect(result).toMatchObject({ ...right, unknown: 1 });
      }
    }
  });

  it('an exchange whose clock is set four minutes back leaves the outcome unknown: the request could still be executed then', async () => {
    const arrange = ({ clock }: Sandbox) => {
      clock.skew(-240_000);
    };
    expect(await run({ faults: [{ kind: 'reset', path }], arrange })).toMatchObject({ ...right, unknown: 1 });
  });

  it('lists with an unreadable record hide no order, and double none', async () => {
    for (const executed of executions) {
      const result = await run({
        faults: [{ kind: 'reset', executed, path }],
        arrange: (sandbox) => {
          sandbox.randomFaults({ seed: 1, rate: 1, kinds: ['malformed-records'], paths: lookups });
        },
      });
      expect(result).toMatchObject(executed ? right : { doubled: 0, lost: 0, misreported: 0 });
    }
  });

  it('is decided within a proof, which takes less than 20 s', async () => {
    for (const executed of executions) {
      const sandbox = createSandbox({ volatility: 0 });
      const exchange = createExchange({ ...sandbox.clientOptions(), retry: false });
      order.place(exchange, { amount: String(2 * Number(order.amount)) }).subscribe();
      await vi.advanceTimersByTimeAsync(100);
      sandbox.fault({ kind: 'reset', executed, path });
      const learned = learn(order.place(exchange, { amount: order.amount }), order.amount);
      await vi.advanceTimersByTimeAsync(executed ? 1000 : 20_000);
      expect(learned.reported?.as).toBe(executed ? 'order' : 'not-placed');
    }
  });
}
