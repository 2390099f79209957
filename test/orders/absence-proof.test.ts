// When lookups that find nothing prove that there is no order, and that none can come: by both clocks, and by two
// lookups.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sent } from '../../src/call/index.js';
import { AbsenceProof, type AbsencePremises } from '../../src/orders/absence-proof.js';
import { ExchangeClock } from '../../src/auth/index.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const settleMs = 10_000;
const historyLagMs = 2000;

interface Setting {
  readonly aheadMs?: number;
  readonly premises?: AbsencePremises;
  readonly sent?: Partial<Sent>;
  readonly clockIsKnown?: boolean;
}

/**
 * An order was sent now, and can be accepted for 5 s by either clock. The exchange's is `aheadMs` ahead of the local
 * one, as its responses say.
 */
function setup({ aheadMs = 0, premises = {}, sent = {}, clockIsKnown = true }: Setting = {}) {
  const clock = new ExchangeClock(() => Date.now());
  const learn = (ms: number) => {
    clock.learn({ shown: Date.now() + ms, resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
  };
  if (clockIsKnown) learn(aheadMs);
  const now = Date.now();
  const order = {
    sentAt: now,
    sentAtExchange: now,
    acceptableUntil: now + 5000,
    acceptableUntilLocal: now + 5000,
    ...sent,
  };
  const proof = new AbsenceProof(order, clock, { settleMs, historyLagMs, ...premises });
  /** A lookup now, which takes no time; whether the proof is complete with it. */
  const lookUp = () =>
    proof.add({ startedAtLocal: Date.now(), startedAt: performance.now(), endedAt: performance.now() });
  /** Looks up after each of these waits. */
  const lookUpAfter = (...waits: readonly number[]) =>
    waits.map((ms) => {
      vi.advanceTimersByTime(ms);
      return lookUp();
    });
  return { proof, learn, lookUp, lookUpAfter };
}

describe('lookups that find nothing', () => {
  it('are the proof when the order can no longer be executed, and the history must show what ended before the first', () => {
    const { lookUpAfter } = setup();
    expect(lookUpAfter(5000 + settleMs, 1, 1999, 1)).toEqual([false, false, false, true]);
  });

  it('are the proof only settleMs after the request could be accepted, however long that is', () => {
    const { lookUpAfter } = setup({ premises: { settleMs: 60_000 } });
    expect(lookUpAfter(65_000, 1, 2000)).toEqual([false, false, true]);
  });

  it('are never the proof with a settleMs of Infinity', () => {
    const { lookUpAfter } = setup({ premises: { settleMs: Number.POSITIVE_INFINITY } });
    expect(lookUpAfter(20_000, 86_400_000, 86_400_000)).toEqual([false, false, false]);
  });

  it('are never the proof of an order whose request can always be accepted', () => {
    const always = { acceptableUntil: Number.POSITIVE_INFINITY, acceptableUntilLocal: Number.POSITIVE_INFINITY };
    expect(setup({ sent: always }).lookUpAfter(20_000, 86_400_000, 86_400_000)).toEqual([false, false, false]);
  });

  it('are the proof at once where the order needs no time to be executed and the history has no lag', () => {
    const { lookUpAfter } = setup({ premises: { settleMs: 0, historyLagMs: 0 } });
    expect(lookUpAfter(5000, 1)).toEqual([false, true]);
  });

  it('are no proof by the clock of the exchange alone: a response may show a time that is too late', () => {
    const { lookUpAfter } = setup({ aheadMs: 60_000, premises: { historyLagMs: 0 } });
    expect(lookUpAfter(5000 + settleMs, 1)).toEqual([false, true]);
  });

  it('are no proof by the local clock alone: the clock of the exchange may be behind it', () => {
    const { lookUpAfter } = setup({ aheadMs: -60_000, premises: { historyLagMs: 0 } });
    expect(lookUpAfter(65_000 + settleMs, 1)).toEqual([false, true]);
  });

  it('are no proof while no response has shown the clock of the exchange', () => {
    const { lookUpAfter, learn } = setup({ clockIsKnown: false, premises: { historyLagMs: 0 } });
    expect(lookUpAfter(100_000)).toEqual([false]);
    learn(0);
    expect(lookUpAfter(0)).toEqual([true]);
  });

  it('do not count any more when a later response shows that the clock of the exchange was ahead', () => {
    const { lookUp, lookUpAfter, learn } = setup({ sent: { acceptableUntilLocal: 0 } });
    learn(20_000);
    expect(lookUp()).toBe(false);
    vi.advanceTimersByTime(2000);
    learn(0);
    expect(lookUpAfter(0, 3000 + settleMs + 1, 2000)).toEqual([false, false, true]);
  });
});

describe('the clock of a proof', () => {
  it('was read since the request: an older reading counts no lookup', () => {
    const { proof, lookUpAfter, learn } = setup({ sent: { sentAt: Date.now() + 1 } });
    expect(proof.isClockRead).toBe(false);
    expect(lookUpAfter(5000 + settleMs + 1, historyLagMs)).toEqual([false, false]);
    learn(0);
    expect(proof.isClockRead).toBe(true);
    expect(lookUpAfter(0, historyLagMs)).toEqual([false, true]);
  });
});

describe('the next lookup', () => {
  it('is worth most when the order can no longer be executed, and then when the history must show it', () => {
    const { proof, lookUp } = setup();
    expect(proof.nextMs).toBe(5000 + settleMs + 1);
    vi.advanceTimersByTime(5000 + settleMs + 1);
    expect(proof.nextMs).toBeUndefined();
    lookUp();
    expect(proof.nextMs).toBe(historyLagMs);
    vi.advanceTimersByTime(historyLagMs);
    expect(proof.nextMs).toBeUndefined();
  });

  it('is worth most by the local clock while the clock of the exchange is not known', () => {
    const { proof } = setup({ clockIsKnown: false });
    expect(proof.nextMs).toBe(5000 + settleMs + 1);
    vi.advanceTimersByTime(5000 + settleMs + 1);
    expect(proof.nextMs).toBeUndefined();
  });
});
