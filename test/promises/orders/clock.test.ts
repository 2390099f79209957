// False responses about the exchange's clock, and wrong local clocks. A nonce far ahead would lock the key in every
// program, because the exchange remembers the largest nonce.
import { ClientRegistry, type Exchange, type Transport } from 'exchange-rx';
import { describe, expect, it, vi } from 'vitest';
import { expectTruth, follow, getAcquainted, seconds, setup, stockMarket, useFakeTime, type Setup } from './setup.js';
import { paths } from '../../support/foreign-exchange.js';
import { refusal, type ForeignNetwork } from '../../support/foreign-network.js';
import type { NonceMode } from '../../../src/auth/index.js';

useFakeTime();

const modes: readonly NonceMode[] = ['window', 'increasing'];
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const lies: readonly (readonly [what: string, offsetMs: number])[] = [
  ['300 days ahead', 300 * day],
  ['300 days behind', -300 * day],
  ['3 hours ahead', 3 * hour],
  ['2 minutes ahead', 2 * minute],
];
const rows = modes.flatMap((nonce) => lies.map(([what, offsetMs]) => ({ nonce, what, offsetMs })));
/** The largest lie, and the smallest. */
const extremes = rows.filter(({ what }) => what === '300 days ahead' || what === '2 minutes ahead');

const pageOf = (time: number) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ time: Math.floor(time / 1000) }),
});

/** The difference between each sent nonce and the true time, ms. */
function nonceErrors({ departures }: ForeignNetwork): number[] {
  return departures.flatMap(({ fields: { nonce }, at }) =>
    typeof nonce === 'string' ? [Math.abs(Number(nonce) - at)] : [],
  );
}

async function balanceOf(exchange: Exchange, withinSeconds = 10): Promise<unknown> {
  const seen: unknown[] = [];
  exchange.account
    .mainBalance()
    .subscribe({ next: (balance) => seen.push(balance), error: (error: unknown) => seen.push(error) });
  await seconds(withinSeconds);
  return seen[0];
}

const isBalance = { USDT: { main_balance: '1000' } };

/** A client of the same key in another program, with a correct clock. */
const otherProgram = ({ connect }: Pick<Setup, 'connect'>, nonce: NonceMode) =>
  connect({ nonce, registry: new ClientRegistry() });

async function expectUnharmed(all: Setup, nonce: NonceMode): Promise<void> {
  const { foreign, network, exchange } = all;
  expect(await balanceOf(exchange)).toMatchObject(isBalance);
  const report = follow(stockMarket.place(exchange, 'after'));
  await seconds(60);
  expectTruth(foreign, 'after', report, 'placed');
  expect(Math.max(...nonceErrors(network))).toBeLessThanOrEqual(minute);
  expect(await balanceOf(otherProgram(all, nonce))).toMatchObject(isBalance);
}

describe('one wrong response of public/time', () => {
  it.each(rows)(
    'leaves the nonces within a minute of the truth, and the key usable in every program: $what, $nonce',
    async ({ nonce, offsetMs }) => {
      for (const isAcquainted of [false, true]) {
        const all = setup({ nonce });
        if (isAcquainted) await getAcquainted(all.exchange);
        all.network.plan(paths.time, { kind: 'response', response: pageOf(Date.now() + offsetMs) });
        all.exchange.public.serverTime().subscribe();
        await seconds(1);
        expect(all.network.pending()).toBe(0);
        await expectUnharmed(all, nonce);
      }
    },
  );

  it.each(extremes)(
    'changes nothing when a cache returns it for minutes: $what, $nonce',
    async ({ nonce, offsetMs }) => {
      const all = setup({ nonce });
      const response = pageOf(Date.now() + offsetMs);
      all.network.chance = (path) => (path === paths.time ? { kind: 'response', response } : undefined);
      for (let count = 0; count < 20; count += 1) {
        all.exchange.public.serverTime().subscribe();
        await seconds(6);
      }
      await expectUnharmed(all, nonce);
    },
  );

  it.each(extremes)(
    'changes nothing when several requests of one moment get it: $what, $nonce',
    async ({ nonce, offsetMs }) => {
      const all = setup({ nonce });
      const faults = Array.from(
        { length: 10 },
        () => ({ kind: 'response', response: pageOf(Date.now() + offsetMs) }) as const,
      );
      all.network.plan(paths.time, ...faults);
      for (let count = 0; count < 10; count += 1) all.exchange.public.serverTime().subscribe();
      await seconds(1);
      await expectUnharmed(all, nonce);
    },
  );
});

describe('an exchange whose clock is wrong for a while', () => {
  it.each(modes)('does not lock the key in any program afterwards: %s', async (nonce) => {
    const all = setup({ nonce });
    all.network.chance = (path) =>
      path === paths.time ? { kind: 'response', response: pageOf(Date.now() + 300 * day) } : undefined;
    for (let count = 0; count < 20; count += 1) {
      all.exchange.public.serverTime().subscribe();
      all.exchange.account.mainBalance().subscribe({ error: () => undefined });
      await seconds(1);
    }
    all.network.chance = () => undefined;
    expect(await balanceOf(otherProgram(all, nonce))).toMatchObject(isBalance);
    expect(await balanceOf(all.exchange)).toMatchObject(isBalance);
  });
});

describe('an invalid time of public/time', () => {
  it.each([9e12, -1e9, 1e300])(
    'is not followed, however often it comes, a second later each time: %d',
    async (time) => {
      for (const nonce of modes) {
        const all = setup({ nonce });
        for (let count = 0; count < 3; count += 1) {
          all.network.plan(paths.time, { kind: 'response', response: pageOf((time + count) * 1000) });
          all.exchange.public.serverTime().subscribe();
          await seconds(1);
        }
        await expectUnharmed(all, nonce);
      }
    },
  );
});

describe('forged responses for expired nonces', () => {
  it.each(modes.flatMap((nonce) => ['lesser', 'greater'].map((than) => ({ nonce, than }))))(
    'move the clock by a minute in all, however many there are: $than, $nonce',
    async ({ nonce, than }) => {
      const all = setup({ nonce });
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
      expect(await balanceOf(otherProgram(all, nonce))).toMatchObject(isBalance);
    },
  );
});

describe('the Date header', () => {
  it.each(modes)('has no effect when it is 300 days ahead in every response: %s', async (nonce) => {
    const all = setup({ nonce, premises: { dateOffsetMs: 300 * day } });
    await getAcquainted(all.exchange);
    await expectUnharmed(all, nonce);
  });
});

describe('a wrong local clock', () => {
  const wrong = [3 * hour, -3 * hour, 5 * minute, 300 * day, -300 * day, -20_000 * day];

  it.each(wrong)('by %i ms works from the first call, and orders are placed once', async (byMs) => {
    for (const first of ['read', 'order']) {
      const all = setup({ now: () => Date.now() + byMs });
      if (first === 'read') expect(await balanceOf(all.exchange)).toMatchObject(isBalance);
      const report = follow(stockMarket.place(all.exchange, 'a'));
      await seconds(60);
      expectTruth(all.foreign, 'a', report, 'placed');
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

  it('does not affect increasing nonces of another client of the process', async () => {
    const all = setup();
    // Clients of one process share their nonces if they have the same transport.
    const transport: Transport = { send: (request) => all.network.send(request) };
    const ahead = all.connect({ transport, now: () => Date.now() + 300 * day });
    // The exchange rejects these nonces and does not remember them.
    all.network.plan(
      paths.balance,
      ...Array.from({ length: 3 }, () => ({ kind: 'lost before', how: 'reset' }) as const),
    );
    ahead.account.mainBalance({ retry: false }).subscribe({ error: () => undefined });
    await seconds(1);
    const increasing = all.connect({ transport, nonce: 'increasing' });
    expect(await balanceOf(increasing)).toMatchObject(isBalance);
    expect(Number(all.network.departures.at(-1)?.fields['nonce'])).toBeLessThan(Date.now() + minute);
  });

  it('by hours after suspending the machine does not keep increasing nonces behind another program', async () => {
    const all = setup({ nonce: 'increasing' });
    const other = otherProgram(all, 'increasing');
    expect([await balanceOf(all.exchange), await balanceOf(other)]).toMatchObject([isBalance, isBalance]);
    // The wall clock is correct afterwards; the steady clock did not count the hours.
    vi.setSystemTime(Date.now() + 3 * hour);
    expect(await balanceOf(otherProgram(all, 'increasing'))).toMatchObject(isBalance);
    expect(await balanceOf(all.exchange)).toMatchObject(isBalance);
    expect(Math.max(...nonceErrors(all.network).slice(-2))).toBeLessThanOrEqual(minute);
  });

  it('that is set back does not set increasing nonces back', async () => {
    const all = setup({ nonce: 'increasing' });
    expect(await balanceOf(all.exchange)).toMatchObject(isBalance);
    const last = Number(all.network.departures.at(-1)?.fields['nonce']);
    vi.setSystemTime(Date.now() - 3 * hour);
    expect(await balanceOf(all.exchange)).toMatchObject(isBalance);
    expect(Number(all.network.departures.at(-1)?.fields['nonce'])).toBeGreaterThan(last + 1000);
  });

  it('given as an option is the only clock of increasing nonces', async () => {
    const all = setup({ nonce: 'increasing', now: () => Date.now() - 3 * hour });
    expect(await balanceOf(all.exchange)).toMatchObject(isBalance);
    expect(Number(all.network.departures.at(-1)?.fields['nonce'])).toBeLessThan(Date.now() - 2 * hour);
  });
});
