// When an order is looked up, and what its lookups prove: every step on fake time.
import { AuthError, RequestError, UnavailableError, type AnyExchangeError } from 'exchange-rx';
import { defer, EMPTY, NEVER, of, throwError, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { ExchangeClock, nonceWindowMs } from '../../src/auth/index.js';
import type { Sent } from '../../src/call/index.js';
import { AbsenceProof, lookUpUntilDecided } from '../../src/call/absence-proof.js';
import { useFakeTimers } from '../support/fake-timers.js';
import { watch } from '../support/watch.js';

const start = 1_000_000;

useFakeTimers(start);

const noBody = { code: undefined, exchangeMessage: undefined, errors: {}, body: undefined };
const gone = new UnavailableError({ status: 503, ...noBody }, undefined, 'orders.open');
const expired = new AuthError({ status: 400, ...noBody }, 'nonce-expired', 'orders.open');

const invalid = (field: string) => new RequestError('orders.open', [{ field, message: 'is invalid' }]);

const timing = { settleMs: 10_000, historyLagMs: 2000, lookupTimeoutMs: 30_000 };
/** When an order that is sent at 0 can no longer be executed, and when that is proven. */
const overMs = nonceWindowMs + timing.settleMs;
const provenMs = overMs + 1 + timing.historyLagMs;

const setting = {
  find: (): Observable<string> => EMPTY,
  /** How long ago the order was sent. */
  sentBeforeMs: 0,
  sent: {} as Partial<Sent>,
  clockIsKnown: true,
  readClock: (): Observable<never> => EMPTY,
  whyNoProof: (): string | undefined => undefined,
  timing: {} as Partial<typeof timing>,
};
type Setting = Partial<typeof setting>;

function lookUp(own: Setting = {}) {
  const { find, sentBeforeMs, clockIsKnown, readClock, whyNoProof, ...rest } = { ...setting, ...own };
  const clock = new ExchangeClock(() => Date.now());
  const learn = (aheadMs = 0) => {
    clock.learn({ shown: Date.now() + aheadMs, resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
  };
  if (clockIsKnown) learn();
  const times = { ...timing, ...rest.timing };
  const sentAt = start - sentBeforeMs;
  const until = sentAt + nonceWindowMs;
  const sent = {
    ...{ sentAt, sentAtExchange: sentAt, acceptableUntil: until, acceptableUntilLocal: until },
    ...rest.sent,
  };
  const [lookedUpAt, readAt]: [number[], number[]] = [[], []];
  const lookup = {
    find: () => {
      lookedUpAt.push(Date.now() - start);
      return find();
    },
    clock$: defer(() => {
      readAt.push(Date.now() - start);
      return readClock();
    }),
    whyNoProof,
  };
  const proof = new AbsenceProof(sent, clock, times);
  const results = watch(lookUpUntilDecided({ ...lookup, proof }, { timeoutMs: times.lookupTimeoutMs, notBefore: 0 }));
  return { learn, lookedUpAt, readAt, results };
}

const notInTime = { is: 'undecided', reason: 'no lookup determined the outcome within 30000 ms' };

describe('the lookups of an order whose response was lost', () => {
  it('come at once, after 250, 500, 1000 ms and then every 2 s, when execution is over, and when the history must show it', async () => {
    const { lookedUpAt, results } = lookUp();
    await vi.advanceTimersByTimeAsync(provenMs - 1);
    expect(results).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(results).toEqual([{ is: 'absent' }]);
    const regular = [0, 250, 750, 1750, 3750, 5750, 7750, 9750, 11_750, 13_750];
    expect(lookedUpAt).toEqual([...regular, overMs + 1, provenMs]);
  });

  it.each([6000, 9000, timing.settleMs])('find an order that is executed %i ms after its nonce', async (lateMs) => {
    const find = () => (Date.now() >= start + nonceWindowMs + lateMs ? of('late') : EMPTY);
    const { results } = lookUp({ find });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(results).toEqual([{ is: 'found', output: 'late' }]);
  });

  it.each([
    ['settleMs', { settleMs: 20_000, lookupTimeoutMs: 60_000 }, provenMs + 10_000],
    ['historyLagMs', { historyLagMs: 6000 }, provenMs + 4000],
  ])('prove absence later with a longer %s', async (_, longer, ms) => {
    const { results } = lookUp({ timing: longer });
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(results).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(results).toEqual([{ is: 'absent' }]);
  });

  it.each<[string, number, Partial<typeof timing>, readonly number[]]>([
    ['two lookups, the second when a history must show it', overMs + 1, {}, [0, 250, 750, 1750, 2000]],
    ['none at the last moment of the execution, but two after it', overMs, {}, [0, 1, 501, 1501, 2001]],
    ['one lookup where the history has no lag', overMs + 1, { historyLagMs: 0 }, [0]],
  ])('prove absence by %s', async (_, sentBeforeMs, own, times) => {
    const { lookedUpAt, results } = lookUp({ sentBeforeMs, timing: own });
    await vi.advanceTimersByTimeAsync(10_000);
    expect([lookedUpAt, results]).toEqual([times, [{ is: 'absent' }]]);
  });

  it.each<[string, Setting, string]>([
    ['a settleMs of Infinity', { timing: { settleMs: Number.POSITIVE_INFINITY } }, ''],
    ['a nonce that stays valid', { sent: { acceptableUntil: Infinity, acceptableUntilLocal: Infinity } }, ''],
    ['lookups that fail', { find: () => throwError(() => gone) }, `: ${gone.message}`],
    ['a clock of the exchange that is not known', { clockIsKnown: false }, ''],
  ])('prove nothing with %s', async (_, setting, why) => {
    const { results } = lookUp(setting);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(results).toEqual([{ ...notInTime, reason: `${notInTime.reason}${why}` }]);
  });

  it('say why not finding the order proves nothing', async () => {
    const { results } = lookUp({ whyNoProof: () => 'no order has shown an identifier' });
    await vi.advanceTimersByTimeAsync(provenMs);
    expect(results).toEqual([{ is: 'undecided', reason: 'no order has shown an identifier' }]);
  });

  it.each([
    [749, [0, 250]],
    [750, [0, 250, 750]],
  ])('end when the next one would be later than lookupTimeoutMs, %i ms', async (lookupTimeoutMs, times) => {
    const { lookedUpAt, results } = lookUp({ timing: { lookupTimeoutMs } });
    await vi.advanceTimersByTimeAsync(5000);
    expect([lookedUpAt, results]).toMatchObject([times, [{ is: 'undecided' }]]);
  });
});

describe('a lookup that fails', () => {
  it.each([
    ['at once when the exchange names no time', gone, 250],
    ['after its Retry-After', new UnavailableError({ status: 503, ...noBody }, 4000, 'orders.open'), 4000],
    ['when no nonce was free', invalid('nonce'), 250],
  ])('is followed by another one, %s', async (_, error, ms) => {
    const answers = [throwError(() => error), of('found')];
    const { lookedUpAt, results } = lookUp({ find: () => answers.shift() ?? NEVER });
    await vi.advanceTimersByTimeAsync(ms);
    expect([lookedUpAt, results]).toEqual([[0, ms], [{ is: 'found', output: 'found' }]]);
  });

  it.each<[string, AnyExchangeError]>([
    ['cannot be sent', invalid('exchange')],
    ['asks for a longer wait than lookupTimeoutMs', new UnavailableError({ status: 503, ...noBody }, 40_000, 'open')],
    ...(['signature', 'key-disabled', 'key-not-authorized'] as const).map((reason): [string, AnyExchangeError] => [
      `will never succeed: ${reason}`,
      new AuthError({ status: 401, ...noBody }, reason, 'open'),
    ]),
  ])('is the last one when it %s', async (_, error) => {
    const { lookedUpAt, results } = lookUp({ find: () => throwError(() => error) });
    await vi.advanceTimersByTimeAsync(0);
    expect([lookedUpAt, results]).toMatchObject([[0], [{ is: 'undecided' }]]);
  });

  it('passes on the error of another package', async () => {
    const foreign = new Error('a defect');
    const { results } = lookUp({ find: () => throwError(() => foreign) });
    await vi.advanceTimersByTimeAsync(0);
    expect(results).toEqual([foreign]);
  });
});

describe('the clocks of a proof', () => {
  /** Absence is not proven by the first time, and proven the second one later. */
  async function expectAbsent({ results }: ReturnType<typeof lookUp>, notByMs: number, thenMs: number) {
    await vi.advanceTimersByTimeAsync(notByMs);
    expect(results).toEqual([]);
    await vi.advanceTimersByTimeAsync(thenMs);
    expect(results).toEqual([{ is: 'absent' }]);
  }

  it('are both past the execution: one that a response puts ahead does not shorten the proof', async () => {
    const looked = lookUp({ timing: { historyLagMs: 0 } });
    looked.learn(2 * overMs);
    await expectAbsent(looked, overMs, 2000);
  });

  it('are both past the execution: one that the response of a lookup puts back prolongs the proof', async () => {
    // The local clock has gained 4.5 s, which the first lookup shows that succeeds.
    const looked = lookUp({
      timing: { historyLagMs: 0 },
      find: () => {
        if (Date.now() < start + overMs) return throwError(() => gone);
        looked.learn(-4500);
        return EMPTY;
      },
    });
    await expectAbsent(looked, overMs + 4500, 2000);
  });

  it('are both past the execution: a first lookup does not count when a later one shows that its clock was ahead', async () => {
    const looked = lookUp({
      find: () => {
        if (Date.now() > start + overMs + 1500) looked.learn(-4500);
        return EMPTY;
      },
    });
    await expectAbsent(looked, overMs + 4500 + timing.historyLagMs, 4000);
  });

  it('are both past the execution: the local clock as it was known when the order was sent', async () => {
    const sentBeforeMs = overMs + timing.historyLagMs;
    const sentAt = start - sentBeforeMs;
    const ahead = { sentAtExchange: sentAt - 60_000, acceptableUntil: sentAt - 60_000 + nonceWindowMs };
    const early = lookUp({ sentBeforeMs, sent: { ...ahead, acceptableUntilLocal: sentAt + nonceWindowMs + 5000 } });
    const late = lookUp({ sentBeforeMs, sent: { ...ahead, acceptableUntilLocal: sentAt + nonceWindowMs - 1 } });
    await vi.advanceTimersByTimeAsync(4000);
    expect([early.results, late.results]).toEqual([[], [{ is: 'absent' }]]);
  });

  it('are read between the lookups while the clock of the exchange is not known, and not after that', async () => {
    let reads = 0;
    const looked = lookUp({
      clockIsKnown: false,
      readClock: () => {
        reads += 1;
        if (reads === 2) looked.learn();
        return EMPTY;
      },
    });
    await vi.advanceTimersByTimeAsync(4000);
    expect(looked.readAt).toEqual([250, 750]);
    expect(looked.lookedUpAt).toEqual([0, 250, 750, 1750, 3750]);
  });

  it('are read when a nonce was rejected for its age, and otherwise not while they are known', async () => {
    const answers = [throwError(() => expired)];
    const { readAt } = lookUp({ find: () => answers.shift() ?? EMPTY });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(readAt).toEqual([250]);
  });
});
