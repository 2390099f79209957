// False responses about the exchange's clock, and wrong local clocks: the key stays usable, in this program and in others.
import { ClientRegistry, type Exchange } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { acquainted, expectTruthAfter, seconds, setup, stockMarket, useFakeTime, type Setup } from './setup.js';
import { paths } from '../../support/foreign-exchange.js';
import { refusal, type Fault, type ForeignNetwork } from '../../support/foreign-network.js';
import { watch } from '../../support/watch.js';

useFakeTime();

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** The largest lie, and the smallest. */
const extremes: readonly (readonly [what: string, offsetMs: number])[] = [
  ['300 days ahead', 300 * day],
  ['2 minutes ahead', 2 * minute],
];
const lies = [...extremes, ['300 days behind', -300 * day], ['3 hours ahead', 3 * hour]] as const;

/** The response of public/time that says this time. */
const saying = (time: number): Fault => ({
  kind: 'response',
  response: {
    ...{ status: 200, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ time: Math.floor(time / 1000) }),
  },
});

/** The difference between each sent nonce and the true time, ms. */
function nonceErrors({ departures }: ForeignNetwork): number[] {
  return departures.flatMap(({ fields: { nonce }, at }) =>
    typeof nonce === 'string' ? [Math.abs(Number(nonce) - at)] : [],
  );
}

async function balanceOf(exchange: Exchange, withinSeconds = 10): Promise<unknown> {
  const seen = watch(exchange.account.mainBalance());
  await seconds(withinSeconds);
  return seen[0];
}

const isBalance = { USDT: { main_balance: '1000' } };

/** A client of the same key in another program, with a correct clock. */
const otherProgram = ({ connect }: Pick<Setup, 'connect'>) => connect({ registry: new ClientRegistry() });

async function expectUnharmed(all: Setup): Promise<void> {
  const { foreign, network, exchange } = all;
  expect(await balanceOf(exchange)).toMatchObject(isBalance);
  await expectTruthAfter(60, foreign, 'after', stockMarket.place(exchange, 'after'), 'placed');
  expect(Math.max(...nonceErrors(network))).toBeLessThanOrEqual(minute);
  expect(await balanceOf(otherProgram(all))).toMatchObject(isBalance);
}

describe('one wrong response of public/time', () => {
  it.each(lies)(
    'leaves the nonces within a minute of the truth, and the key usable in every program: %s',
    async (_, offsetMs) => {
      for (const isAcquainted of [false, true]) {
        const all = isAcquainted ? await acquainted() : setup();
        all.network.plan(paths.time, saying(Date.now() + offsetMs));
        all.exchange.public.serverTime().subscribe();
        await seconds(1);
        expect(all.network.pending()).toBe(0);
        await expectUnharmed(all);
      }
    },
  );

  it.each(extremes)('changes nothing when a cache returns it for minutes: %s', async (_, offsetMs) => {
    const all = setup();
    const time = saying(Date.now() + offsetMs);
    all.network.chance = (path) => (path === paths.time ? time : undefined);
    for (let count = 0; count < 20; count += 1) {
      all.exchange.public.serverTime().subscribe();
      await seconds(6);
    }
    await expectUnharmed(all);
  });

  it.each(extremes)('changes nothing when several requests of one moment get it: %s', async (_, offsetMs) => {
    const all = setup();
    all.network.plan(paths.time, ...Array.from({ length: 10 }, () => saying(Date.now() + offsetMs)));
    for (let count = 0; count < 10; count += 1) all.exchange.public.serverTime().subscribe();
    await seconds(1);
    await expectUnharmed(all);
  });
});

it('an exchange whose clock is wrong for a while does not lock the key in any program afterwards', async () => {
  const all = setup();
  all.network.chance = (path) => (path === paths.time ? saying(Date.now() + 300 * day) : undefined);
  for (let count = 0; count < 20; count += 1) {
    all.exchange.public.serverTime().subscribe();
    all.exchange.account.mainBalance().subscribe({ error: () => undefined });
    await seconds(1);
  }
  all.network.chance = () => undefined;
  expect(await balanceOf(otherProgram(all))).toMatchObject(isBalance);
  expect(await balanceOf(all.exchange)).toMatchObject(isBalance);
});

it.each([9e12, -1e9, 1e300])(
  'an invalid time of public/time is not followed, however often it comes, a second later each time: %d',
  async (time) => {
    const all = setup();
    for (let count = 0; count < 3; count += 1) {
      all.network.plan(paths.time, saying((time + count) * 1000));
      all.exchange.public.serverTime().subscribe();
      await seconds(1);
    }
    await expectUnharmed(all);
  },
);

it.each(['lesser', 'greater'])(
  'forged responses for expired nonces move the clock by a minute in all, however many there are: %s',
  async (than) => {
    const all = setup();
    const forged = {
      kind: 'response',
      response: refusal(400, `Your nonce is more than 5 seconds ${than} than the current nonce`),
    } as const;
    // The true clock cannot be read in the meantime.
    all.network.chance = (path) =>
      path === paths.balance ? forged : path === paths.time ? { kind: 'lost before', how: 'reset' } : undefined;
    for (let count = 0; count < 50; count += 1) {
      all.exchange.account.mainBalance().subscribe({ error: () => undefined });
      await seconds(0.5);
    }
    expect(nonceErrors(all.network).length).toBeGreaterThan(50);
    expect(Math.max(...nonceErrors(all.network))).toBeLessThanOrEqual(minute + 5000);
    all.network.chance = () => undefined;
    // A nonce that was used ahead of time is not used again: the client waits for that time.
    expect(await balanceOf(all.exchange, 60)).toMatchObject(isBalance);
    expect(await balanceOf(otherProgram(all))).toMatchObject(isBalance);
  },
);

it('the Date header has no effect when it is 300 days ahead in every response', async () => {
  const all = await acquainted({ premises: { dateOffsetMs: 300 * day } });
  await expectUnharmed(all);
});

describe('a wrong local clock', () => {
  const wrong = [3 * hour, -3 * hour, 5 * minute, 300 * day, -300 * day, -20_000 * day];

  it.each(wrong)('by %i ms works from the first call, and orders are placed once', async (byMs) => {
    for (const first of ['read', 'order']) {
      const all = setup({ now: () => Date.now() + byMs });
      if (first === 'read') expect(await balanceOf(all.exchange)).toMatchObject(isBalance);
      await expectTruthAfter(60, all.foreign, 'a', stockMarket.place(all.exchange, 'a'), 'placed');
      expect(all.foreign.executionsOf('a')).toHaveLength(1);
    }
  });

  it.each([3 * hour, -300 * day])('by %i ms is detected behind a cache of public/time of one second', async (byMs) => {
    const all = setup({ now: () => Date.now() + byMs });
    let cached = { at: Number.NEGATIVE_INFINITY, body: '' };
    all.network.rewrite = (path, response) => {
      if (path !== paths.time) return response;
      if (Date.now() - cached.at > 1000) cached = { at: Date.now(), body: response.body };
      return { status: 200, headers: {}, body: cached.body };
    };
    expect(await balanceOf(all.exchange)).toMatchObject(isBalance);
  });
});
