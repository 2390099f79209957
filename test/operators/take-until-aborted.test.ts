import { takeUntilAborted, createExchange, fromAbortable } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { getEventListeners } from 'node:events';
import { firstValueFrom, NEVER, of, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';

describe('takeUntilAborted', () => {
  it('passes on the values of the source, and removes its listener', async () => {
    const { signal } = new AbortController();
    expect(await firstValueFrom(of('a').pipe(takeUntilAborted(signal)))).toBe('a');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('unsubscribes when the signal aborts, and fails with its reason', () => {
    const aborter = new AbortController();
    const source$ = new Subject<string>();
    const seen: unknown[] = [];
    source$
      .pipe(takeUntilAborted(aborter.signal))
      .subscribe({ next: (value) => seen.push(value), error: (error: unknown) => seen.push(error) });
    source$.next('a');
    aborter.abort('enough');
    expect(seen).toEqual(['a', 'enough']);
    expect(source$.observed).toBe(false);
    expect(getEventListeners(aborter.signal, 'abort')).toEqual([]);
  });

  it('does not subscribe to the source when the signal has aborted', () => {
    const source$ = new Subject<string>();
    let reason: unknown;
    source$
      .pipe(takeUntilAborted(AbortSignal.abort('before')))
      .subscribe({ error: (error: unknown) => (reason = error) });
    expect([reason, source$.observed]).toEqual(['before', false]);
  });

  it('removes its listener when it is unsubscribed', () => {
    const { signal } = new AbortController();
    NEVER.pipe(takeUntilAborted(signal)).subscribe().unsubscribe();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('aborts a request in flight', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'hang' });
    const exchange = createExchange(sandbox.clientOptions());
    const pong = firstValueFrom(exchange.public.ping().pipe(takeUntilAborted(AbortSignal.timeout(20))));
    await expect(pong).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('fromAbortable', () => {
  it('emits the result of the promise, and does not abort', async () => {
    let given: AbortSignal | undefined;
    const value = await firstValueFrom(fromAbortable((signal) => Promise.resolve((given = signal)).then(() => 'a')));
    expect([value, given?.aborted]).toEqual(['a', false]);
  });

  it('fails with the error of the promise or of the function', async () => {
    let given: AbortSignal | undefined;
    const failing = fromAbortable((signal) => Promise.reject(new Error(`no ${(given = signal).aborted}`)));
    await expect(firstValueFrom(failing)).rejects.toThrow('no false');
    expect(given?.aborted).toBe(false);
    const throwing = fromAbortable(() => {
      throw new Error('never');
    });
    await expect(firstValueFrom(throwing)).rejects.toThrow('never');
  });

  it('aborts when it is unsubscribed, and emits nothing then', async () => {
    let given: AbortSignal | undefined;
    const seen: unknown[] = [];
    const value$ = fromAbortable(
      (signal) =>
        new Promise((_, reject) => {
          given = signal;
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        }),
    );
    const subscription = value$.subscribe({ error: (error: unknown) => seen.push(error) });
    subscription.unsubscribe();
    await Promise.resolve();
    expect([given?.aborted, seen]).toEqual([true, []]);
  });

  it('calls the function again for each subscriber', async () => {
    let calls = 0;
    const value$ = fromAbortable(() => Promise.resolve((calls += 1)));
    expect([await firstValueFrom(value$), await firstValueFrom(value$)]).toEqual([1, 2]);
  });
});
