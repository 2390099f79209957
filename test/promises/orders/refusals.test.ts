// A refusal that proves nothing: a copy of an order that was executed is refused, too. And refusals that are taken for
// what they are not.
import { retry } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { paths } from '../../support/foreign-exchange.js';
import { gateway, refusal, type Fault } from '../../support/foreign-network.js';
import {
  acquainted,
  expectTruth,
  expectTruthAfter,
  follow,
  linked,
  marketOrder,
  resting,
  seconds,
  setup,
  stockMarket,
  useFakeTime,
} from './setup.js';

useFakeTime();

const refused = (...how: Parameters<typeof refusal>): Fault => ({ kind: 'response', response: refusal(...how) });
const usedNonce = refused(429, 'Too many requests.');
const oldNonce = refused(400, 'Your nonce is more than 5 seconds lesser than the current nonce');
const tooManyAttempts = refused(429, 'Too Many Attempts.');

describe('an order whose nonce is rejected', () => {
  it.each([400, 422] as const)(
    'is signed by the clock of public/time and placed at once, when its nonce is refused for its age: %i',
    async (refusalForAge) => {
      for (const offsetMs of [-180_000, 180_000]) {
        for (const dateOffsetMs of [undefined, -offsetMs]) {
          const { foreign, network, exchange } = setup({
            premises: { dateOffsetMs, refusalForAge },
            now: () => Date.now() + offsetMs,
          });
          await expectTruthAfter(3, foreign, 'a', stockMarket.place(exchange, 'a'), 'placed');
          expect(network.departuresTo(paths.time).length).toBeGreaterThan(0);
          expect(network.departuresTo(paths.stockMarket)).toHaveLength(2);
        }
      }
    },
  );

  it('is not signed again when the rejection came so late that it may be about a copy of the request', async () => {
    const { foreign, network, exchange } = await acquainted();
    network.plan(paths.stockMarket, { kind: 'replayed', afterMs: 7500 });
    const report = follow(stockMarket.place(exchange, 'a', { validForMs: 60_000 }));
    await seconds(7.6);
    expect(
      network.departuresTo(paths.stockMarket).filter(({ fields }) => fields['clientOrderId'] === 'a'),
    ).toHaveLength(1);
    await seconds(60);
    expectTruth(foreign, 'a', report, 'placed');
  });
});

describe('a refusal of another order for its age, although its nonce was right', () => {
  const slowReading: Fault = { kind: 'late', byMs: 2400 };

  /** A proxy repeats an executed order, while a gateway refuses another order of the same burst. */
  async function placeBurst(validForMs: number) {
    const one = await acquainted();
    const { network, exchange } = one;
    // A slow reading does not contradict a clock that is 3 s ahead.
    network.chance = (to) => (to === paths.time ? slowReading : undefined);
    const others = Array.from({ length: 50 }, () => undefined);
    network.plan(paths.stockMarket, { kind: 'replayed', afterMs: 4000 }, ...others, oldNonce);
    const report = follow(stockMarket.place(exchange, 'a', { validForMs }));
    for (const [index] of others.entries()) follow(stockMarket.place(exchange, `other-${index}`));
    const other = follow(stockMarket.place(exchange, 'refused', { validForMs }));
    return { ...one, report, other };
  }

  it.each([5000, 60_000])(
    'does not make an executed order too old: it is found, valid for %i ms',
    async (validForMs) => {
      const { foreign, report, other } = await placeBurst(validForMs);
      await seconds(120);
      expectTruth(foreign, 'a', report, 'placed');
      expectTruth(foreign, 'refused', other, 'placed', 'not executed');
    },
  );

  it('moves the nonces of later requests all the same', async () => {
    const { network, exchange } = await placeBurst(5000);
    await seconds(0.1);
    follow(stockMarket.place(exchange, 'later'));
    await seconds(0.1);
    const later = network.departuresTo(paths.stockMarket).at(-1);
    expect(later?.fields).toMatchObject({ clientOrderId: 'later' });
    expect(Number(later?.fields['nonce'])).toBeGreaterThan(later?.at ?? Number.NaN);
  });
});

describe('an order that is rejected because of its identifier', () => {
  it('is rejected after one request when no earlier request had the identifier', async () => {
    const { foreign, network, exchange, connect } = setup();
    follow(resting.place(connect(), 'a'));
    await seconds(1);
    const before = network.departuresTo(resting.path).length;
    const report = follow(resting.place(exchange, 'a'));
    await seconds(60);
    expect(report.error).toMatchObject({ kind: 'api', reason: 'client-order-id', outcome: 'rejected' });
    expect(network.departuresTo(resting.path)).toHaveLength(before + 1);
    expect(foreign.executionsOf('a')).toHaveLength(1);
  });

  it('is looked up when an earlier request had the identifier', async () => {
    const { foreign, network, exchange } = await acquainted();
    const requests = () =>
      network.departuresTo(resting.path).filter(({ fields }) => fields['clientOrderId'] === 'a').length;
    // The list of open orders does not show the first request's order, until the second is refused because of it.
    network.plan(resting.path, { kind: 'lost after', how: 'reset' });
    network.chance = (to) =>
      to === paths.open && requests() < 2
        ? { kind: 'response', response: { status: 200, headers: {}, body: '[]' } }
        : undefined;
    const order$ = resting.place(exchange, 'a', { validForMs: 60_000 });
    await expectTruthAfter(120, foreign, 'a', order$, 'placed', 'unknown');
    expect(requests()).toBe(2);
  });
});

const faults: Readonly<Record<string, Fault>> = {
  'a nonce that was used': usedNonce,
  'a nonce that is too old': oldNonce,
  'a copy that was refused': { kind: 'replayed', afterMs: 0 },
  'Too Many Attempts.': tooManyAttempts,
  'the rate limit': { kind: 'response', response: gateway(429) },
  'an exchange that is unavailable': { kind: 'lost before', how: 'unavailable' },
  'a connection that is lost': { kind: 'lost before', how: 'reset' },
  'a connection that cannot be made': { kind: 'refused' },
};
const ofClient = ['the client', 'a nonce that was used', usedNonce] as const;

it.each([...Object.entries(faults).map(([name, fault]) => ['the call', name, fault] as const), ofClient])(
  'with retry: false of %s, one order request is sent: %s',
  async (whose, _, fault) => {
    const { foreign, network, exchange } = await acquainted(whose === 'the client' ? { retry: false } : {});
    const before = network.departuresTo(marketOrder.path).length;
    network.plan(marketOrder.path, fault, fault, fault, fault);
    const own = whose === 'the call' ? ({ retry: false } as const) : {};
    const order$ = marketOrder.place(exchange, 'a', { validForMs: 90_000, ...own });
    await expectTruthAfter(120, foreign, 'a', order$, 'placed', 'not executed', 'unknown');
    expect(network.departuresTo(marketOrder.path)).toHaveLength(before + 1);
  },
);

it('a rejection with code 0 of the rate limit is not followed by an immediate retry', async () => {
  const { foreign, network, exchange } = setup();
  network.plan(paths.stockMarket, ...Array.from({ length: 50 }, () => tooManyAttempts));
  const report = follow(stockMarket.place(exchange, 'a', { validForMs: 30_000 }));
  await seconds(0.1);
  expect(network.departuresTo(paths.stockMarket)).toHaveLength(1);
  await seconds(120);
  expect(network.departuresTo(paths.stockMarket).length).toBeLessThanOrEqual(5);
  expectTruth(foreign, 'a', report, 'not executed');
});

it.each([2000, 2900, 2990])(
  'a nonce that is rejected for its age is no proof when a proxy may have repeated the request, by a local clock %i ms behind',
  async (behindMs) => {
    for (const afterMs of [100, 500, 900]) {
      const { foreign, network, exchange } = setup({ now: () => Date.now() - behindMs });
      network.plan(paths.stockMarket, { kind: 'replayed', afterMs });
      await expectTruthAfter(90, foreign, 'a', stockMarket.place(exchange, 'a', { validForMs: 60_000 }), 'placed');
    }
  },
);

it('a retry() without a delay keeps the identifier of its order: another observable with the same one is rejected', async () => {
  const { foreign, network, exchange } = await acquainted();
  const unavailable = refused(422, 'Market is not available.');
  network.plan(paths.stockMarket, unavailable, { kind: 'lost after', how: 'hang' });
  const first = follow(stockMarket.place(exchange, 'same').pipe(retry(1)));
  await seconds(1);
  const second = follow(stockMarket.place(exchange, 'same'));
  await seconds(60);
  expect(second.error).toMatchObject({ kind: 'request', issues: [{ field: 'client_order_id' }] });
  expectTruth(foreign, 'same', first, 'placed');
});

it('a conditional order that is listed without its identifier does not prove that the order is absent', async () => {
  const { foreign, network, exchange } = await acquainted();
  network.rewrite = (path, response) =>
    path === paths.conditional
      ? { ...response, body: response.body.replaceAll(/"clientOrderId":"[^"]*"/g, '"clientOrderId":null') }
      : response;
  network.plan(linked.path, { kind: 'lost after', how: 'reset' });
  await expectTruthAfter(120, foreign, 'a', linked.place(exchange, 'a'), 'unknown');
});

it.each([
  ['the code as text', { code: '0', message: 'Too many requests.', errors: [] }],
  ['no code', { message: 'Too many requests.' }],
  ['another text', { code: 0, message: 'Забагато запитів' }],
])('a 429 in JSON that an executed order gets is ambiguous: %s', async (_, body) => {
  const { foreign, network, exchange } = await acquainted();
  network.rewrite = (path, response) =>
    path === paths.stockMarket ? { status: 429, headers: {}, body: JSON.stringify(body) } : response;
  await expectTruthAfter(90, foreign, 'a', stockMarket.place(exchange, 'a', { validForMs: 60_000 }), 'placed');
});
