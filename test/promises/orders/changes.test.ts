// Cancels, modifications, closes and settings on a network that loses and repeats requests: what was executed is never
// reported as rejected.
import { isExchangeError, type Exchange } from 'exchange-rx';
import { merge, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { paths } from '../../support/foreign-exchange.js';
import { gateway, losses, refusal, type Fault } from '../../support/foreign-network.js';
import { watch } from '../../support/watch.js';
import { follow, market, ocoOrder, resting, seconds, setup, useFakeTime, type Setup } from './setup.js';

useFakeTime();

/** Prepares the exchange, and returns the call with what it emits. */
type Prepare = (
  given: Setup,
) => Promise<{ readonly call: () => Observable<unknown>; readonly emitted: unknown; readonly isDone: () => boolean }>;

interface Change {
  readonly what: string;
  readonly path: string;
  readonly prepare: Prepare;
}

async function placed({ exchange, foreign }: Setup, kind = resting) {
  follow(kind.place(exchange, 'a'));
  await seconds(1);
  const [order] = foreign.executionsOf('a');
  return { order_id: order?.orderId ?? 0, isCanceled: () => order?.status === 'CANCELED' };
}

const cancellation =
  (call: (exchange: Exchange, order_id: number) => Observable<unknown>, kind = resting): Prepare =>
  async (given) => {
    const { order_id, isCanceled } = await placed(given, kind);
    const canceled = { order_id, status: 'CANCELED' };
    const emitted = kind === ocoOrder ? { take_profit: canceled } : canceled;
    return { call: () => call(given.exchange, order_id), emitted, isDone: isCanceled };
  };

const modification =
  (named: { readonly client_order_id?: string }): Prepare =>
  async (given) => {
    const { order_id } = await placed(given);
    const modified = () => given.foreign.executionsOf('a').filter(({ status }) => status === 'OPEN');
    return {
      call: () => given.exchange.orders.modify({ market, order_id, price: '50100', ...named }),
      emitted: { client_order_id: 'a', price: '50100' },
      isDone: () => modified().length === 1 && modified()[0]?.price === 50_100,
    };
  };

const setting =
  (call: (exchange: Exchange) => Observable<unknown>, emitted: unknown, isDone: (given: Setup) => boolean): Prepare =>
  (given) =>
    Promise.resolve({ call: () => call(given.exchange), emitted, isDone: () => isDone(given) });

const closing: Prepare = ({ exchange, foreign }) => {
  const positionId = foreign.openPosition(market);
  const call = () => exchange.collateral.closePosition({ market, positionId });
  return Promise.resolve({ call, emitted: {}, isDone: () => foreign.isClosed(positionId) });
};
const arming = ({ orders }: Exchange) => orders.setKillSwitch({ market, timeout: 600 });
const leveraging = ({ collateral }: Exchange) => collateral.setLeverage({ leverage: 5 });

const byIdentifier = { market, client_order_id: 'a' };
const ofChanges: readonly (readonly [what: string, path: string, prepare: Prepare])[] = [
  ['cancel by order_id', paths.cancel, cancellation(({ orders }, order_id) => orders.cancel({ market, order_id }))],
  ['cancel by client_order_id', paths.cancel, cancellation(({ orders }) => orders.cancel(byIdentifier))],
  ['cancel of an OCO order', paths.cancelOco, cancellation(({ orders }) => orders.cancelOco(byIdentifier), ocoOrder)],
  ['modification', paths.modify, modification({})],
  ['modification with client_order_id', paths.modify, modification({ client_order_id: 'a' })],
  ['close of a position', paths.closePosition, closing],
  ['kill switch', paths.killSwitch, setting(arming, { market }, ({ foreign }) => foreign.isArmed(market))],
  ['leverage', paths.leverage, setting(leveraging, { leverage: 5 }, ({ foreign }) => foreign.leverage() === 5)],
];
const changes: readonly Change[] = ofChanges.map(([what, path, prepare]) => ({ what, path, prepare }));

const json = { 'content-type': 'application/json' };
const page = (status: number, body: string) => ({ status, headers: json, body });
const replaced = (response: ReturnType<typeof refusal>): Fault => ({ kind: 'replaced', response });
const faults: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(
    [0, 1000, 4000, 6000, 9000].map((afterMs) => [`copied ${afterMs} ms later`, { kind: 'replayed', afterMs }]),
  ),
  'a translated 429 to a copy': replaced(refusal(429, 'Забагато запитів.')),
  'a nonce that grew too old on the way': replaced(
    refusal(400, 'Your nonce is more than 5 seconds lesser than the current nonce'),
  ),
  'a translation key to a copy': replaced(refusal(422, 'api.errors.time_window')),
  'the rate limit of the main account to a copy': replaced(refusal(400, 'Too Many Attempts.')),
  'an empty 200': replaced(page(200, '')),
  'a cut 200': replaced(page(200, '{"orderId":4180284841,"mark')),
  ...Object.fromEntries([500, 502, 504].map((status) => [`a ${status}`, replaced(gateway(status))])),
  ...Object.fromEntries(losses.map((how) => [`${how} after it was executed`, { kind: 'lost after', how }])),
  ...Object.fromEntries(losses.map((how) => [`${how} before it was executed`, { kind: 'lost before', how }])),
};

/** One of each way in which a request may fail: how it is classified is the same for all changes. */
const typicalFaults = [
  ...['copied 1000 ms later', 'a translated 429 to a copy', 'a 502'],
  ...['hang after it was executed', 'reset before it was executed'],
];
const cases = changes.flatMap((change) =>
  Object.entries(faults)
    .filter(([fault]) => change.what === 'modification with client_order_id' || typicalFaults.includes(fault))
    .map(([fault, how]) => ({ ...change, fault, how })),
);

async function resultsOf({ prepare }: Change, arrange: (given: Setup) => void) {
  const given = setup();
  const { call, emitted, isDone } = await prepare(given);
  arrange(given);
  const results = watch(call());
  await seconds(60);
  expect(isDone()).toBe(true);
  return { results, emitted };
}

describe('a change with an empty response', () => {
  it.each(cases)('is made once, and reported as made: $what, $fault', async ({ how, ...change }) => {
    const { results, emitted } = await resultsOf(change, ({ network }) => {
      network.plan(change.path, how);
    });
    expect(results.filter(isExchangeError)).toEqual([]);
    expect(results).toMatchObject([emitted]);
  });

  it.each(changes)('is never reported as rejected when a proxy copies every request: $what', async (change) => {
    const { results, emitted } = await resultsOf(change, ({ network }) => {
      network.chance = (to) => (to === change.path ? { kind: 'replayed', afterMs: 300, copies: 2 } : undefined);
    });
    const [result] = results;
    if (isExchangeError(result)) expect(result.outcome).toBe('unknown');
    else expect(result).toMatchObject(emitted as object);
  });
});

describe('a change that is looked up', () => {
  const lookedUp = changes.filter(({ path }) => path === paths.cancel || path === paths.modify);

  it.each(lookedUp)('is found although every response to it is lost: $what', async (change) => {
    const { results, emitted } = await resultsOf(change, ({ network }) => {
      network.chance = (to) => (to === change.path ? replaced(gateway(502)) : undefined);
    });
    expect(results).toMatchObject([emitted]);
  });

  it.each([2500, 4500])('is found when the local clock is %i ms ahead', async (ms) => {
    const given = setup({ now: () => Date.now() + ms });
    const { call, emitted } = await modification({ client_order_id: 'a' })(given);
    given.network.plan(paths.modify, { kind: 'lost after', how: 'html' });
    const results = watch(call());
    await seconds(60);
    expect(results).toMatchObject([emitted]);
  });

  it('is made once for concurrent subscribers, which get one result', async () => {
    const given = setup();
    const { call, emitted } = await modification({ client_order_id: 'a' })(given);
    given.network.plan(paths.modify, { kind: 'lost after', how: 'hang' });
    const change$ = call();
    const first = watch(change$);
    await seconds(0.01);
    const second = watch(change$);
    await seconds(60);
    expect([...first, ...second]).toMatchObject([emitted, emitted]);
  });

  it('is reported by its own response although orders.find has seen the modified order before', async () => {
    const given = setup();
    given.network.rewrite = async (path, response) => {
      if (path === paths.modify) await new Promise((resolve) => setTimeout(resolve, 1000));
      return response;
    };
    const { call, emitted } = await modification({})(given);
    const results = watch(call());
    await seconds(0.2);
    const found = watch(given.exchange.orders.find({ market, client_order_id: 'a' }));
    await seconds(60);
    expect([...found, ...results]).toMatchObject([emitted, emitted]);
    expect(given.network.departuresTo(paths.modify)).toHaveLength(1);
  });
});

const missing: readonly (readonly [string, (exchange: Exchange) => Observable<unknown>])[] = [
  ['cancel', ({ orders }) => orders.cancel({ market, order_id: 1 })],
  ['modification', ({ orders }) => orders.modify({ market, order_id: 1, price: '1' })],
  ['close of a position', ({ collateral }) => collateral.closePosition({ market, positionId: 1 })],
];

it.each(missing)('a change by a wrong clock is rejected when it has nothing to change: %s', async (_, call) => {
  const { exchange } = setup({ now: () => Date.now() - 30_000 });
  const results = watch(call(exchange));
  await seconds(60);
  expect(results).toMatchObject([{ kind: 'api', outcome: 'rejected' }]);
});

it('urgent calls keep their retries when an outage of reads has used up the budget', async () => {
  const { exchange, network, foreign } = setup({ retry: { random: () => 1 } });
  network.chance = (to) => (to === paths.balance ? { kind: 'lost before', how: 'unavailable' } : undefined);
  for (let poll = 0; poll < 50; poll += 1) exchange.account.mainBalance().subscribe({ error: () => undefined });
  await seconds(20);
  const reads = network.departuresTo(paths.balance).length;
  expect(reads).toBeLessThan(120);
  network.plan(paths.killSwitch, { kind: 'lost before', how: 'reset' });
  network.plan(paths.cancel, { kind: 'lost before', how: 'reset' }, { kind: 'lost before', how: 'reset' });
  follow(resting.place(exchange, 'a'));
  await seconds(1);
  const results = watch(
    merge(
      exchange.orders.setKillSwitch({ market, timeout: 600 }),
      exchange.orders.cancel({ market, client_order_id: 'a' }),
    ),
  );
  await seconds(20);
  expect(results).toMatchObject([{ market }, { status: 'CANCELED' }]);
  expect(foreign.executionsOf('a')).toMatchObject([{ status: 'CANCELED' }]);
});

// Setting something twice is not setting it once when something else was set between.
const patientRetry = { random: () => 1, baseDelayMs: 1000 };
const lossesOfSettings: readonly (readonly [string, Fault])[] = (['reset', 'hang'] as const).flatMap((how) => [
  [`${how} before it was done`, { kind: 'lost before', how }] as const,
  [`${how} after it was done`, { kind: 'lost after', how }] as const,
]);

describe('a retry of a setting', () => {
  it.each(lossesOfSettings)('does not arm a kill switch that was removed meanwhile: %s', async (_, fault) => {
    const { foreign, network, exchange } = setup({ retry: patientRetry });
    follow(resting.place(exchange, 'a'));
    await seconds(1);
    network.plan(paths.killSwitch, fault);
    const results: string[] = [];
    exchange.orders
      .setKillSwitch({ market, timeout: 30 })
      .subscribe({ error: () => results.push('failed'), complete: () => results.push('done') });
    await seconds(0.1);
    exchange.orders.setKillSwitch({ market, timeout: null }).subscribe({ complete: () => results.push('removed') });
    await seconds(120);
    expect(results).toHaveLength(2);
    expect(foreign.isArmed(market)).toBe(false);
    expect(foreign.executionsOf('a')).toMatchObject([{ status: 'OPEN' }]);
  });

  it.each(lossesOfSettings)('does not set a leverage that was changed meanwhile: %s', async (_, fault) => {
    const { foreign, network, exchange } = setup({ retry: patientRetry });
    network.plan(paths.leverage, fault);
    exchange.collateral.setLeverage({ leverage: 100 }).subscribe({ error: () => undefined });
    await seconds(0.1);
    exchange.collateral.setLeverage({ leverage: 2 }).subscribe();
    await seconds(60);
    expect(foreign.leverage()).toBe(2);
  });

  it('does not retry a cancel when a later call canceled the same identifier', async () => {
    const { network, exchange } = setup({ retry: patientRetry });
    network.plan(paths.cancel, { kind: 'lost before', how: 'reset' });
    for (let call = 0; call < 2; call += 1) {
      exchange.orders.cancel({ market, client_order_id: 'a' }).subscribe({ error: () => undefined });
      await seconds(0.1);
    }
    await seconds(60);
    expect(network.departuresTo(paths.cancel)).toHaveLength(2);
  });

  it('is sent when the later call was about another order or market', async () => {
    const { foreign, network, exchange } = setup({ retry: patientRetry });
    network.plan(paths.killSwitch, { kind: 'lost before', how: 'reset' });
    network.plan(paths.cancel, { kind: 'lost before', how: 'reset' });
    follow(resting.place(exchange, 'a'));
    await seconds(0.1);
    exchange.orders.setKillSwitch({ market, timeout: 600 }).subscribe();
    exchange.orders.cancel({ market, client_order_id: 'a' }).subscribe();
    await seconds(0.1);
    exchange.orders.setKillSwitch({ market: 'ETH_USDT', timeout: 600 }).subscribe();
    exchange.orders.cancel({ market, client_order_id: 'b' }).subscribe({ error: () => undefined });
    await seconds(60);
    expect([foreign.isArmed(market), foreign.isArmed('ETH_USDT')]).toEqual([true, true]);
    expect(foreign.executionsOf('a')).toMatchObject([{ status: 'CANCELED' }]);
  });
});
