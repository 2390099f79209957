// How long an order may be sent: validForMs, Retry-After and maxTotalMs bound what is sent, whatever queue, retries and
// proofs take.
import { retry } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { gateway, losses, type Fault } from '../../support/foreign-network.js';
import {
  acquainted,
  expectTruth,
  expectTruthAfter,
  follow,
  kinds,
  marketOrder,
  resting,
  seconds,
  setup,
  stockMarket,
  useFakeTime,
  type Setup,
} from './setup.js';

useFakeTime();

/** When the requests of an order left, milliseconds after its subscription. */
const sentAfter = ({ network }: Pick<Setup, 'network'>, since: number) =>
  network.departures
    .filter(({ fields }) => fields['clientOrderId'] === 'a' && 'side' in fields)
    .map(({ at }) => at - since);

const lossesOfEach = kinds.flatMap((kind) =>
  (kind === stockMarket ? losses : losses.slice(0, 1)).map((how) => ({ ...kind, how })),
);

describe('an order', () => {
  it.each(lossesOfEach)(
    'is not sent later than validForMs after its subscription: $kind, $how',
    async ({ path, place, how }) => {
      const all = await acquainted();
      all.network.plan(path, { kind: 'lost before', how });
      const since = Date.now();
      const report = follow(place(all.exchange, 'a', { validForMs: 500 }));
      await seconds(90);
      expect(sentAfter(all, since)).toEqual([0]);
      expectTruth(all.foreign, 'a', report, 'not executed');
    },
  );

  it.each(kinds)(
    'whose absence took longer to prove ends as not placed, and is sent again as the same order by retry(): $kind',
    async ({ path, place }) => {
      const all = await acquainted();
      all.network.plan(path, { kind: 'lost before', how: 'reset' });
      const order$ = place(all.exchange, 'a');
      const first = follow(order$);
      await seconds(60);
      expect(first.error).toMatchObject({ kind: 'not-placed', outcome: 'not-executed', client_order_id: 'a' });
      const since = Date.now();
      const second = follow(order$.pipe(retry(3)));
      await seconds(60);
      expect(sentAfter(all, since).filter((ms) => ms >= 0)).toEqual([0]);
      expectTruth(all.foreign, 'a', second, 'placed');
    },
  );

  it.each(kinds)(
    'is sent again by itself after the proof, where validForMs leaves the time: $kind',
    async ({ path, place }) => {
      const all = await acquainted();
      all.network.plan(path, { kind: 'lost before', how: 'reset' });
      const since = Date.now();
      await expectTruthAfter(60, all.foreign, 'a', place(all.exchange, 'a', { validForMs: 60_000 }), 'placed');
      const [first, second, ...more] = sentAfter(all, since);
      expect([first, more]).toEqual([0, []]);
      expect(second).toBeGreaterThan(10_000);
    },
  );
});

describe('an order of a program whose local clock is hours wrong', () => {
  const now = () => Date.now() - 3 * 3_600_000;

  it.each([500, 1000])(
    'is not sent again after the second reading of the clock when validForMs is %i: it is rejected',
    async (validForMs) => {
      const all = setup({ now });
      const since = Date.now();
      const report = follow(stockMarket.place(all.exchange, 'a', { validForMs }));
      await seconds(60);
      expect(sentAfter(all, since)).toEqual([0]);
      expectTruth(all.foreign, 'a', report, 'not executed');
      expect(report.error).toMatchObject({ outcome: 'rejected' });
    },
  );

  it('is placed at once when the program has read public/time twice before, a second apart', async () => {
    const all = setup({ now });
    for (let count = 0; count < 2; count += 1) {
      all.exchange.public.serverTime().subscribe();
      await seconds(1.1);
    }
    const since = Date.now();
    const report = follow(stockMarket.place(all.exchange, 'a', { validForMs: 500 }));
    await seconds(60);
    expect(sentAfter(all, since)).toEqual([0]);
    expectTruth(all.foreign, 'a', report, 'placed');
  });
});

describe('an exchange that sends Retry-After', () => {
  const respondsWith = (status: number, seconds: number): Fault => ({
    kind: 'response',
    response: gateway(status, { 'retry-after': String(seconds) }),
  });
  const patient = { validForMs: 150_000, callTimeoutMs: 170_000 };

  it.each([marketOrder, resting])('for 40 s by 503 gets no order request before: $kind', async ({ path, place }) => {
    const all = await acquainted({ retry: { maxTotalMs: 150_000 } });
    all.network.plan(path, respondsWith(503, 40));
    const since = Date.now();
    await expectTruthAfter(170, all.foreign, 'a', place(all.exchange, 'a', patient), 'placed');
    expect(sentAfter(all, since)[1]).toBeGreaterThanOrEqual(40_000);
  });
});
