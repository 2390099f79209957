// How it is decided what became of an order: every step of it on fake time, with an exchange that says what the test wants.
import { ApiError, RequestError, TransportError, UnavailableError, type ExchangeError } from 'exchange-rx';
import { EMPTY, NEVER, of, throwError, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SentOrder } from '../src/absence-proof.js';
import { ExchangeClock, nonceWindowMs, type Nonce } from '../src/auth/index.js';
import { oneOrder, type OrderRoad, type OrderTiming } from '../src/one-order.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const lost = new TransportError('the connection was lost', { endpoint: 'place', outcome: 'unknown' });
const refused = new TransportError('could not connect', { endpoint: 'place', outcome: 'not-sent' });
const gone = new UnavailableError({ status: 503, code: undefined, exchangeMessage: undefined, errors: {}, body: undefined }, undefined, 'place');

const taken = new ApiError({ status: 422, code: 36, exchangeMessage: undefined, errors: {}, body: undefined }, 'client-order-id', { endpoint: 'place', outcome: 'rejected' });

const nobodyWaited: unknown = expect.stringContaining('nobody waited');

const timing: OrderTiming = { historyLagMs: 2000, decideWithinMs: 20_000, callTimeoutMs: 60_000 };

/** A sending whose answer is lost. */
const sending = (nonce: Nonce | undefined) => (onSent: (nonce: Nonce | undefined) => void) => {
  onSent(nonce);
  return throwError(() => lost);
};

interface Setting {
  /** What each sending comes to; the last one is repeated. */
  readonly answers?: readonly Observable<string>[];
  readonly find?: (sent: SentOrder) => Observable<string>;
  readonly road?: Partial<OrderRoad<string>>;
  readonly nonceWindow?: boolean;
  readonly clockIsKnown?: boolean;
  readonly timing?: Partial<OrderTiming>;
  readonly earlier?: SentOrder;
  readonly retryAfterMs?: (error: ExchangeError) => number | undefined;
}

function setup({ answers = [of('order')], find = () => EMPTY, road = {}, nonceWindow = true, clockIsKnown = true, earlier, retryAfterMs, ...rest }: Setting = {}) {
  const clock = new ExchangeClock(() => Date.now());
  const learn = () => {
    clock.learn({ shown: Date.now(), resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
  };
  if (clockIsKnown) learn();
  const steps: string[] = [];
  const times = { sent: [] as number[], found: [] as number[] };
  const order$ = oneOrder<string>(
    {
      endpoint: 'place',
      clock,
      send: (onSent: (nonce: Nonce | undefined) => void) => {
        const answer$ = answers[Math.min(times.sent.length, answers.length - 1)] ?? NEVER;
        times.sent.push(Date.now() - 1_000_000);
        onSent({ nonce: Date.now(), nonceWindow });
        return answer$;
      },
      find: (sent) => {
        times.found.push(Date.now() - 1_000_000);
        return find(sent);
      },
      readClock: () => {
        steps.push('clock');
        return EMPTY;
      },
      isIdentified: () => true,
      canProveAbsence: () => true,
      isTaken: (error) => error === taken,
      isFutile: () => false,
      retryAfterMs: retryAfterMs ?? (() => undefined),
      report: (progress) => steps.push(progress),
      timing: { ...timing, ...rest.timing },
      ...road,
    },
    earlier,
  );
  const subscribe = () => {
    const told: unknown[] = [];
    const subscription = order$.subscribe({
      next: (order) => told.push(order),
      error: (error: unknown) => told.push(error),
      complete: () => told.push('end'),
    });
    return { told, subscription };
  };
  return { clock, learn, steps, times, subscribe };
}

describe('an order whose answer was lost', () => {
  it('is looked for at once, and is the one that is found', async () => {
    const { steps, times, subscribe } = setup({ answers: [throwError(() => lost)], find: () => of('found') });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect([told, steps]).toEqual([['found', 'end'], ['looking', 'found']]);
    expect(times).toEqual({ sent: [0], found: [0] });
  });

  it('is looked for among those placed since it was sent', async () => {
    const since: number[] = [];
    const find = ({ sentAt }: SentOrder) => {
      since.push(sentAt);
      return of('found');
    };
    setup({ answers: [throwError(() => lost)], find }).subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect(since).toEqual([1_000_000]);
  });

  it('is looked for after 200, 400, 800 ms, and then every second', async () => {
    const { times, subscribe } = setup({ answers: [throwError(() => lost)], timing: { historyLagMs: 10_000 } });
    subscribe();
    await vi.advanceTimersByTimeAsync(4500);
    expect(times.found).toEqual([0, 200, 600, 1400, 2400, 3400, 4400]);
  });

  it('is absent when it is nowhere after its nonce can no longer be executed, and still nowhere when the history has had its time', async () => {
    const { steps, times, subscribe } = setup({ answers: [throwError(() => lost)] });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(nonceWindowMs + timing.historyLagMs);
    expect([told, steps]).toEqual([[], ['looking']]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toMatchObject([{ kind: 'not-placed', outcome: 'not-sent', cause: lost, endpoint: 'place' }]);
    expect(steps).toEqual(['looking', 'absent']);
    expect(times.sent).toEqual([0]);
  });

  it.each([
    ['by two looks, the second of them when what ended before the first must show', nonceWindowMs + 1, [0, 200, 600, 1400, 2000]],
    ['not by a look at the very moment at which it can last be executed, but by the next and one after it', nonceWindowMs, [0, 1, 401, 1201, 2001]],
  ])('is absent %s', async (_, sentBeforeMs, looks) => {
    const { times, told } = await lookedForAt(sentBeforeMs);
    expect(times.found).toEqual(looks);
    expect(told).toMatchObject([{ kind: 'not-placed' }]);
  });

  it('is not absent by a clock that an answer has put ahead since, before the local one has come as far', async () => {
    const { clock, subscribe } = setup({ answers: [throwError(() => lost)], timing: { historyLagMs: 0 } });
    const { told } = subscribe();
    clock.learn({ shown: Date.now() + 2 * nonceWindowMs, resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
    await vi.advanceTimersByTimeAsync(nonceWindowMs - 1);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1500);
    expect(told).toMatchObject([{ kind: 'not-placed' }]);
  });

  it('is in doubt again when it is refused since its identifier is taken, after it was proven absent and sent again', async () => {
    const lookedSince: number[] = [];
    const { steps, times, subscribe } = setup({
      answers: [throwError(() => lost), throwError(() => lost), throwError(() => taken)],
      find: ({ sentAt }) => (lookedSince.push(sentAt) < 25 ? EMPTY : of('the first')),
      retryAfterMs: () => 0,
    });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(steps).toEqual(['looking', 'absent', 'looking', 'absent', 'looking', 'found']);
    expect(times.sent).toHaveLength(3);
    expect(told).toEqual(['the first', 'end']);
    expect(new Set(lookedSince)).toEqual(new Set([1_000_000]));
  });

  it('stays unknown, however long it is nowhere, when its identifier is taken after it was proven absent', async () => {
    const { steps, times, subscribe } = setup({ answers: [throwError(() => lost), throwError(() => taken)], retryAfterMs: () => 0 });
    const first = subscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first.told).toMatchObject([{ kind: 'transport', outcome: 'unknown', cause: taken }]);
    const second = subscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(second.told).toMatchObject([{ outcome: 'unknown' }]);
    expect(steps).toEqual(['looking', 'absent', 'looking', 'unknown', 'looking', 'unknown']);
    expect(times.sent).toHaveLength(2);
  });

  it('is refused, without any doubt, when its identifier is taken and nothing was sent before', async () => {
    const { steps, subscribe } = setup({ answers: [throwError(() => taken)] });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect([told, steps]).toEqual([[taken], []]);
  });

  it('is absent by one look where the history has no lag', async () => {
    const { times, told } = await lookedForAt(nonceWindowMs + 1, { historyLagMs: 0 });
    expect([times.found, told]).toMatchObject([[0], [{ kind: 'not-placed' }]]);
  });

  /** Subscribes to an order that was sent so long ago. */
  async function lookedForAt(ms: number, timing: Partial<OrderTiming> = {}) {
    const now = 1_000_000;
    const [sentAt, executableUntil] = [now - ms, now - ms + nonceWindowMs];
    const { times, subscribe } = setup({ timing, earlier: { sentAt, sentAtExchange: sentAt, executableUntil, executableUntilLocal: executableUntil } });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(10_000);
    return { times, told };
  }

  it('is not absent by a clock that was read before it was sent: the answer of the look counts', async () => {
    const clock = new ExchangeClock(() => Date.now());
    clock.learn({ shown: Date.now(), resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
    let answered = 0;
    // The local clock has gained 4.5 s since, which the first answer shows; it comes late.
    const find = () => {
      if (Date.now() < 1_000_000 + nonceWindowMs) return throwError(() => gone);
      answered += 1;
      clock.learn({ shown: Date.now() - 4500, resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
      return EMPTY;
    };
    const { subscribe } = setup({ road: { clock, find }, answers: [throwError(() => lost)], timing: { historyLagMs: 0 } });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(nonceWindowMs + 4400);
    expect([told, answered > 3]).toEqual([[], true]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(told).toMatchObject([{ kind: 'not-placed' }]);
  });

  it('is not absent while the local clock, as it was known when it was sent, has not passed that too', async () => {
    const now = 1_000_000;
    const sentAt = now - nonceWindowMs - timing.historyLagMs;
    const shown = { sentAt, sentAtExchange: sentAt - 60_000, executableUntil: sentAt - 60_000 + nonceWindowMs };
    const early = setup({ earlier: { ...shown, executableUntilLocal: sentAt + nonceWindowMs + 3000 } }).subscribe();
    const late = setup({ earlier: { ...shown, executableUntilLocal: sentAt + nonceWindowMs - 1 } }).subscribe();
    await vi.advanceTimersByTimeAsync(2400);
    expect(early.told).toEqual([]);
    expect(late.told).toMatchObject([{ kind: 'not-placed' }]);
  });

  it('is not absent by a first look that a clock counted which another answer then showed to be wrong', async () => {
    const clock = new ExchangeClock(() => Date.now());
    clock.learn({ shown: Date.now(), resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
    const wrong = { byMs: 4500, until: nonceWindowMs + 1500 };
    const find = () => {
      if (Date.now() > 1_000_000 + wrong.until) clock.learn({ shown: Date.now() - wrong.byMs, resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
      return EMPTY;
    };
    const { subscribe } = setup({ road: { clock, find }, answers: [throwError(() => lost)] });
    const { told } = subscribe();
    // By the clock that is right its nonce is dead only now: a look counts from here.
    await vi.advanceTimersByTimeAsync(nonceWindowMs + wrong.byMs + timing.historyLagMs - 10);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1100);
    expect(told).toMatchObject([{ kind: 'not-placed' }]);
  });

  it('is sent again once it is absent, after the wait that the policy says, and not looked for any more', async () => {
    const { steps, times, subscribe } = setup({ answers: [throwError(() => lost), of('second')], retryAfterMs: ({ kind }) => (kind === 'not-placed' ? 50 : undefined) });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(told).toEqual(['second', 'end']);
    expect(steps).toEqual(['looking', 'absent']);
    const last = times.found.at(-1) ?? 0;
    expect(times.sent).toEqual([0, last + 50]);
  });

  it.each([
    ['whose nonce does not go by the clock', { nonceWindow: false }],
    ['without a nonce', { road: { send: sending(undefined) } }],
    ['without an identifier that the exchange takes', { road: { canProveAbsence: () => false } }],
    ['whose look-ups fail', { find: () => throwError(() => gone) }],
    ['while the exchange’s clock is not known', { clockIsKnown: false }],
  ])('stays unknown, and is not sent again: one %s', async (_, setting: Setting) => {
    const { steps, times, subscribe } = setup({ ...setting, answers: [throwError(() => lost)], retryAfterMs: () => 0 });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toEqual([lost]);
    expect(steps.filter((step) => step !== 'clock')).toEqual(['looking', 'unknown']);
    expect(times.sent.length).toBeLessThanOrEqual(1);
  });

  it('is not looked for when its request never left', async () => {
    const { times, subscribe } = setup({ road: { send: () => throwError(() => lost) } });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect([told, times.found]).toEqual([[lost], []]);
  });

  it.each([
    [599, [0, 200]],
    [600, [0, 200, 600]],
  ])('is given up when the next look would be later than it may be, %i ms', async (decideWithinMs, looks) => {
    const { times, subscribe } = setup({ answers: [throwError(() => lost)], timing: { decideWithinMs } });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(5000);
    expect(told).toEqual([lost]);
    expect(times.found).toEqual(looks);
  });

  it('is not looked for when it may take no time', async () => {
    const { steps, times, subscribe } = setup({ answers: [throwError(() => lost)], timing: { decideWithinMs: 0 } });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect([told, steps, times.found]).toEqual([[lost], ['unknown'], []]);
  });

  it('is found by a later look when an earlier one failed', async () => {
    const looks = [throwError(() => gone), of('found')];
    const { subscribe } = setup({ answers: [throwError(() => lost)], find: () => looks.shift() ?? NEVER });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(200);
    expect(told).toEqual(['found', 'end']);
  });

  it('ends with what is no error of the exchange, from the sending or from a look-up', async () => {
    const foreign = new Error('a defect');
    const sent = setup({ answers: [throwError(() => foreign)] });
    const looked = setup({ answers: [throwError(() => lost)], find: () => throwError(() => foreign) });
    const told = [sent.subscribe().told, looked.subscribe().told];
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toEqual([[foreign], [foreign]]);
    expect([sent.times.found, looked.times.found]).toEqual([[], [0]]);
  });
});

describe('the exchange’s clock', () => {
  it('is asked for between the looks while no answer has told it, and not any more then', async () => {
    const asked: number[] = [];
    const { learn, times, subscribe } = setup({
      answers: [throwError(() => lost)],
      clockIsKnown: false,
      road: {
        readClock: () => {
          asked.push(Date.now() - 1_000_000);
          if (asked.length === 2) learn();
          return asked.length === 1 ? throwError(() => gone) : EMPTY;
        },
      },
    });
    subscribe();
    await vi.advanceTimersByTimeAsync(3000);
    expect(asked).toEqual([200, 600]);
    expect(times.found).toEqual([0, 200, 600, 1400, 2400]);
  });

  it('is not asked for when it is known', async () => {
    const { steps, subscribe } = setup({ answers: [throwError(() => lost)] });
    subscribe();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(steps).not.toContain('clock');
  });
});

describe('a later subscription', () => {
  it('gets the order that was placed or found, and asks nobody', async () => {
    for (const answers of [[of('order')], [throwError(() => lost)]]) {
      const { times, subscribe } = setup({ answers, find: () => of('order') });
      const first = subscribe();
      await vi.advanceTimersByTimeAsync(0);
      const before = structuredClone(times);
      const second = subscribe();
      expect([first.told, second.told]).toEqual([['order', 'end'], ['order', 'end']]);
      expect(times).toEqual(before);
    }
  });

  it('looks for an order of unknown outcome, and ends with the same error as the one before', async () => {
    const { times, subscribe } = setup({ answers: [throwError(() => lost)], timing: { decideWithinMs: 100 } });
    const told = [subscribe().told];
    await vi.advanceTimersByTimeAsync(1000);
    told.push(subscribe().told);
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toEqual([[lost], [lost]]);
    expect(times).toEqual({ sent: [0], found: [0, 1000] });
  });

  it('looks for an order that was left on the wire, and says that nobody waited for its answer', async () => {
    const { times, subscribe } = setup({ answers: [NEVER], timing: { decideWithinMs: 100 } });
    subscribe().subscription.unsubscribe();
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toMatchObject([{ kind: 'transport', outcome: 'unknown', endpoint: 'place', message: nobodyWaited }]);
    expect(times.sent).toEqual([0]);
  });

  it('sends an order that is known not to have been placed', async () => {
    const { times, subscribe } = setup({ answers: [throwError(() => refused), of('order')] });
    const told = [subscribe().told, subscribe().told];
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual([[refused], ['order', 'end']]);
    expect(times).toEqual({ sent: [0, 0], found: [] });
  });

  it('does not take the failure of an earlier sending for that of the last one', async () => {
    const waits = [0, undefined];
    const { times, subscribe } = setup({ answers: [throwError(() => lost), NEVER], retryAfterMs: () => waits.shift() });
    const { subscription } = subscribe();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times.sent).toHaveLength(2);
    subscription.unsubscribe();
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toMatchObject([{ kind: 'not-placed', cause: { message: nobodyWaited } }]);
  });
});

describe('an order that is known not to have been placed', () => {
  it('is sent again after the wait that the policy says, and passes the error on when there is to be none', async () => {
    const waits = [70, undefined];
    const { times, subscribe } = setup({ answers: [throwError(() => refused)], retryAfterMs: () => waits.shift() });
    const { told } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toEqual([refused]);
    expect(times).toEqual({ sent: [0, 70], found: [] });
  });

  it('was refused before it was sent: that is the error', async () => {
    const bad = new RequestError('place', [{ field: 'amount', message: 'is too small' }]);
    const { told } = setup({ answers: [throwError(() => bad)] }).subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual([bad]);
  });
});

describe('a subscription that takes too long', () => {
  it('says that nothing was sent when nothing was', async () => {
    const { told } = setup({ road: { send: () => NEVER }, timing: { callTimeoutMs: 500 } }).subscribe();
    await vi.advanceTimersByTimeAsync(500);
    expect(told).toMatchObject([{ kind: 'timeout', phase: 'call', timeoutMs: 500, outcome: 'not-sent', endpoint: 'place' }]);
  });

  it('says that the outcome is unknown when the request has left', async () => {
    const { told } = setup({ answers: [NEVER], timing: { callTimeoutMs: 500 } }).subscribe();
    await vi.advanceTimersByTimeAsync(500);
    expect(told).toMatchObject([{ kind: 'timeout', phase: 'call', outcome: 'unknown' }]);
  });
});

describe('an identifier that the exchange did not take', () => {
  it('is told of, and of no other', async () => {
    const { steps, subscribe } = setup({ road: { isIdentified: () => false } });
    subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect(steps).toEqual(['not-identified']);
    const other = setup();
    other.subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect(other.steps).toEqual([]);
  });
});
