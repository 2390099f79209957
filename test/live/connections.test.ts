// A query on the account's connection: its result, and every way to fail.
import type { AnyExchangeError } from 'exchange-rx';
import { finalize, NEVER, of, Subject } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import type { RequestEnd } from '../../src/live/connection/index.js';
import { sendQuery, timeQuery } from '../../src/live/connections.js';
import { onFakeTime, seconds } from './setup.js';

function sent(state: 'open' | 'connecting' = 'open') {
  const seen: unknown[] = [];
  const ends$ = new Subject<RequestEnd>();
  const cancel = vi.fn();
  const release = vi.fn();
  const failures$ = new Subject<AnyExchangeError>();
  const open$ = of({ status: 'open' as const, generation: 1, since: 0 });
  const link = {
    needed$: failures$.pipe(finalize(release)),
    state$: state === 'open' ? open$ : NEVER,
    request: () => ends$.pipe(finalize(cancel)),
  };
  const subscription = sendQuery(link, timeQuery).subscribe({
    next: (value) => seen.push(value),
    error: (error: unknown) => seen.push(error),
    complete: () => seen.push('complete'),
  });
  const respond = (end: RequestEnd) => {
    ends$.next(end);
  };
  return { seen, cancel, release, subscription, respond };
}

describe('a query', () => {
  onFakeTime();

  it('emits its result, completes, and needs the connection no more', () => {
    const { seen, release, respond } = sent();
    respond({ type: 'result', result: 1795316400 });
    expect(seen).toEqual([1795316400, 'complete']);
    expect(release).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each<[what: string, end: RequestEnd, error: object]>([
    ['refused', { type: 'refused', refusal: { code: 1, message: 'no' } }, { kind: 'live-refused', code: 1 }],
    ['lost', { type: 'lost' }, { kind: 'transport', outcome: 'none' }],
    ['unreadable', { type: 'result', result: 'noon' }, { kind: 'response', outcome: 'none' }],
  ])('fails with a typed error when it is %s', (_, end, error) => {
    const { seen, respond } = sent();
    respond(end);
    expect(seen).toMatchObject([error]);
  });

  it.each(['open', 'connecting'] as const)(
    'fails after 10 s without a response on a connection that is %s',
    async (state) => {
      const { seen, release } = sent(state);
      await seconds(10);
      expect(seen).toMatchObject([{ kind: 'timeout', outcome: 'none' }]);
      expect(release).toHaveBeenCalledTimes(1);
    },
  );

  it('is cancelled when its subscriber leaves', () => {
    const { subscription, cancel, release } = sent();
    subscription.unsubscribe();
    expect(cancel).toHaveBeenCalledTimes(1);
    expect(release).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
