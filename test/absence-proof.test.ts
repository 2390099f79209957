// When looks that find nothing prove that there is no order, and none can come: by both clocks, and by two looks.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AbsenceProof, type SentOrder } from '../src/absence-proof.js';
import { ExchangeClock } from '../src/auth/index.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const historyLagMs = 2000;

/** The exchange's clock is `aheadMs` ahead of the local one, as its answers tell; an order was sent now, and can be executed for 5 s by either. */
function setup({ aheadMs = 0, lagMs = historyLagMs, sent = {} }: { readonly aheadMs?: number; readonly lagMs?: number; readonly sent?: Partial<SentOrder> } = {}) {
  const clock = new ExchangeClock(() => Date.now());
  const learn = (ms: number) => {
    clock.learn({ shown: Date.now() + ms, resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
  };
  learn(aheadMs);
  const now = Date.now();
  const order = { sentAt: now, sentAtExchange: now, executableUntil: now + 5000, executableUntilLocal: now + 5000, ...sent };
  const proof = new AbsenceProof(order, clock, lagMs);
  /** A look now, which takes no time; whether it is the proof. */
  const look = () => proof.add({ begunAtLocal: Date.now(), begunAt: performance.now(), endedAt: performance.now() });
  return { proof, look, learn };
}

describe('looks that find nothing', () => {
  it('are the proof when the order can no longer be executed, and what ended before the first must show at the second', () => {
    const { look } = setup();
    const proven = [5000, 1, 1999, 1].map((ms) => {
      vi.advanceTimersByTime(ms);
      return look();
    });
    expect(proven).toEqual([false, false, false, true]);
  });

  it('are the proof at once where the history has no lag', () => {
    const { look } = setup({ lagMs: 0 });
    vi.advanceTimersByTime(5000);
    expect(look()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(look()).toBe(true);
  });

  it('are none by the exchange’s clock alone, which an answer may show too late', () => {
    const { look } = setup({ aheadMs: 6000, lagMs: 0 });
    vi.advanceTimersByTime(5000);
    expect(look()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(look()).toBe(true);
  });

  it('are none by the local clock alone, behind which the exchange’s may be', () => {
    const { look } = setup({ aheadMs: -60_000, lagMs: 0 });
    vi.advanceTimersByTime(65_000);
    expect(look()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(look()).toBe(true);
  });

  it('do not count any more when another answer shows that the clock they counted by was wrong', () => {
    const { look, learn } = setup({ aheadMs: 0, sent: { executableUntilLocal: 0 } });
    learn(10_000);
    expect(look()).toBe(false);
    vi.advanceTimersByTime(2000);
    learn(0);
    expect(look()).toBe(false);
    vi.advanceTimersByTime(3001);
    expect(look()).toBe(false);
    vi.advanceTimersByTime(2000);
    expect(look()).toBe(true);
  });
});

describe('the next look', () => {
  it('is worth most when the order can no longer be executed, and then when the history must show it', () => {
    const { proof, look } = setup();
    expect(proof.nextMs).toBe(5001);
    vi.advanceTimersByTime(5001);
    expect(proof.nextMs).toBeUndefined();
    look();
    expect(proof.nextMs).toBe(2000);
    vi.advanceTimersByTime(2000);
    expect(proof.nextMs).toBeUndefined();
  });
});
