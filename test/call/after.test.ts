// The table of a call's life: what it does after each event, for every kind.
import { ApiError, AuthError, RateLimitedError, RequestError, TransportError, UnavailableError } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { after } from '../../src/call/after.js';
import { bulk, finding, kindOf, moving, nothingKnown, placing, type Kind, type Known } from '../../src/call/change.js';
import type { Event, Next, Premises, Sent, State } from '../../src/call/change.js';

type Output = string;

const read = kindOf('read', false);
const setting = kindOf('idempotent', false);
const ending = kindOf('idempotent', true);
const once = kindOf('once', false);

const noBody = { code: undefined, exchangeMessage: undefined, errors: {}, body: undefined };
const unclear = new TransportError('the response was lost', { endpoint: 'call', outcome: 'unknown' });
const unsent = new TransportError('could not connect', { endpoint: 'call', outcome: 'not-executed' });
const limited = new RateLimitedError({ status: 429, ...noBody }, undefined, 'call');
const busy = new UnavailableError({ status: 503, ...noBody }, 3000, 'call');
const invalid = new RequestError('call', [{ field: 'amount', message: 'is too small' }]);
const expired = new AuthError({ status: 400, ...noBody }, 'nonce-expired', 'call', 'unknown');
const stale = new AuthError({ status: 400, ...noBody }, 'nonce-expired', 'call');
const api = (
  reason: 'amount' | 'duplicate' | 'order-not-found' | 'client-order-id',
  outcome: 'rejected' | 'unknown' = 'rejected',
) => new ApiError({ status: 422, ...noBody }, reason, { endpoint: 'call', outcome });

const request: Sent = { sentAt: 1000, sentAtExchange: 1000, acceptableUntil: 6000, acceptableUntilLocal: 6000 };
const known = (own: Partial<Known> = {}): Known => ({ ...nothingKnown, ...own });
/** What is known while a request is in flight. */
const inFlight = known({ open: request, first: request, sends: 1 });
const retries = { since: 0, ordinary: 0, nonces: 0 };
const moment = { now: 0, jitter: 1 };

const premises = (kind: Kind, own: Partial<Premises> = {}): Premises => ({
  endpoint: 'call',
  kind,
  limits: { isRetried: true, retryPolicy: { baseDelayMs: 100 }, validForMs: undefined },
  lookupTimeoutMs: 30_000,
  refusals: ['order-not-found'],
  ...own,
});

const idle = (own: Known = nothingKnown): State<Output> => ({ at: 'idle', known: own });
const sending = (own: Known = nothingKnown): State<Output> => ({
  at: 'sending',
  known: own,
  retries,
});
const asking = (own: Known = inFlight, refusal?: ApiError): State<Output> => ({
  at: 'asking',
  known: own,
  retries,
  ...(refusal === undefined ? {} : { refusal }),
});
const waiting = (own: Known = nothingKnown): State<Output> => ({ at: 'waiting', known: own, retries, error: limited });
const done: State<Output> = { at: 'done', output: 'it' };

const subscribed: Event<Output> = { is: 'subscribed', now: 0 };
const failed = (error: TransportError | ApiError | AuthError | RateLimitedError | UnavailableError | RequestError) =>
  ({ is: 'failed', error, ...moment }) as const;

/** The state after an event, and the effects in words. */
function told([state, effects]: Next<Output>): string {
  const words = effects.map((effect) => {
    switch (effect.do) {
      case 'fail':
        return `fail ${effect.error.kind} ${effect.error.outcome}`;
      case 'place':
        return effect.isFound ? 'place found' : 'place';
      case 'wait':
        return `wait ${effect.ms}${effect.readsClock ? ' after reading the clock' : ''}${effect.spends ? '' : ' free'}`;
      case 'leave':
        if (effect.open === undefined) return 'leave';
        return effect.reason === undefined ? 'leave unsubscribed' : 'leave in doubt';
      case 'ask':
        return `ask for ${effect.timeoutMs}`;
      default:
        return effect.do;
    }
  });
  return [state.at, ...words].join(', ');
}

const row = (kind: Kind, state: State<Output>, event: Event<Output>, own: Partial<Premises> = {}) =>
  told(after(state, event, premises(kind, own)));
const knownAfter = (kind: Kind, state: State<Output>, event: Event<Output>): Known => {
  const [next] = after(state, event, premises(kind));
  if (next.at === 'done' || next.at === 'failed') throw new Error('nothing is kept of a change that is done');
  return next.known;
};

describe('every kind', () => {
  it.each([
    ['a read', read],
    ['a setting', setting],
    ['a cancel', ending],
    ['an order', placing],
    ['a token', once],
    ['a request of several orders', bulk],
  ])('sends at its first subscription, and notes what was sent: %s', (_, kind) => {
    expect(row(kind, idle(), subscribed)).toBe('sending, send');
    expect(knownAfter(kind, sending(), { is: 'sent', sent: request })).toEqual(inFlight);
    expect(row(kind, sending(), failed(invalid))).toBe('idle, leave, fail request not-executed');
    const spends = kind.asks === 'when refused' ? ' free' : '';
    expect(row(kind, sending(), failed(limited))).toBe(`waiting, wait 100${spends}`);
    expect(row(kind, waiting(), { is: 'due' })).toBe('sending, send');
    expect(row(kind, waiting(), { is: 'denied' })).toBe('idle, leave, fail rate-limited rejected');
    expect(row(kind, sending(), { is: 'unsubscribed' })).toBe('idle, leave');
  });

  it('is sent again at once, and free of the budget, after a nonce that was certainly rejected', () => {
    for (const kind of [read, setting, placing, once])
      expect(row(kind, sending(inFlight), failed(stale))).toBe('waiting, wait 0 after reading the clock free');
  });

  it('waits as long as the exchange requested', () => {
    expect(row(read, sending(), failed(busy.with({ outcome: 'none' })))).toBe('waiting, wait 3000');
  });

  it('is not sent again without retries', () => {
    const limits = { isRetried: false, retryPolicy: {}, validForMs: undefined };
    for (const kind of [read, setting, placing, once]) {
      expect(row(kind, sending(), failed(limited), { limits })).toBe('idle, leave, fail rate-limited rejected');
      expect(row(kind, sending(inFlight), failed(stale), { limits })).toBe('idle, leave, fail auth rejected');
    }
  });

  it('is not sent again after its validity', () => {
    const limits = { isRetried: true, retryPolicy: { baseDelayMs: 100 }, validForMs: 99 };
    expect(row(placing, sending(), failed(limited), { limits })).toBe('idle, leave, fail rate-limited rejected');
  });
});

describe('a read', () => {
  it('emits at each subscription, and keeps nothing', () => {
    expect(row(read, sending(inFlight), { is: 'answered', output: 'it' })).toBe('idle, emit');
  });

  it('is sent again after a lost response', () => {
    expect(row(read, sending(inFlight), failed(unclear.with({ outcome: 'none' })))).toBe('waiting, wait 100');
  });

  it('changes nothing, so no time-out leaves its outcome unknown', () => {
    const late = { is: 'timed out', afterMs: 500 } as const;
    expect(row(read, sending(inFlight), late)).toBe('idle, leave, fail timeout none');
    expect(row(read, sending(), late)).toBe('idle, leave, fail timeout not-executed');
  });
});

describe('a setting', () => {
  it('is sent again whenever its outcome is unknown', () => {
    for (const error of [unclear, api('amount', 'unknown')])
      expect(row(setting, sending(inFlight), failed(error))).toBe('waiting, wait 100');
  });

  it('keeps the doubt about an earlier request, whatever becomes of the last one', () => {
    const doubted = knownAfter(setting, sending(inFlight), failed(unclear));
    expect(doubted).toMatchObject({ isInDoubt: true, open: undefined });
    expect(row(setting, sending({ ...doubted, open: request }), failed(api('amount')))).toBe(
      'idle, leave, fail api unknown',
    );
    expect(row(setting, waiting(doubted), { is: 'timed out', afterMs: 1 })).toBe('idle, leave, fail timeout unknown');
  });

  it('is in doubt when it is left in flight', () => {
    expect(knownAfter(setting, sending(inFlight), { is: 'unsubscribed' })).toMatchObject({
      isInDoubt: true,
      open: undefined,
    });
    expect(row(setting, sending(), { is: 'timed out', afterMs: 1 })).toBe('idle, leave, fail timeout not-executed');
  });

  it('is not looked up', () => {
    expect(row(setting, sending({ ...inFlight, isInDoubt: true }), failed(api('order-not-found')))).toBe(
      'idle, leave, fail api unknown',
    );
  });
});

describe('a cancel, a modification, a close', () => {
  const doubted = { ...inFlight, isInDoubt: true };
  const missing = api('order-not-found');

  it('is looked up when a request is refused that an earlier one may have made impossible', () => {
    expect(row(ending, sending(doubted), failed(missing))).toBe('asking, ask for 0');
    expect(row(ending, sending(inFlight), failed(missing))).toBe('idle, leave, fail api rejected');
    expect(row(ending, sending(doubted), failed(api('amount')))).toBe('idle, leave, fail api unknown');
  });

  it('is looked up for an earlier subscription, too', () => {
    const [state] = after(idle(known({ isInDoubt: true })), subscribed, premises(ending));
    expect(told(after(state, failed(missing), premises(ending)))).toBe('asking, ask for 0');
  });

  it('ends as its lookup says', () => {
    const lookup = asking(doubted, missing);
    expect(row(ending, lookup, { is: 'found', output: 'it', ...moment })).toBe('idle, place found, emit');
    expect(row(ending, lookup, { is: 'absent', ...moment })).toBe('idle, leave, fail api rejected');
    expect(row(ending, lookup, { is: 'undecided', reason: 'late', ...moment })).toBe('idle, leave, fail api unknown');
  });

  it('judges a nonce that was rejected for its age by the clock', () => {
    expect(row(ending, sending(inFlight), failed(expired))).toBe('judging, judge');
    const judging: State<Output> = { at: 'judging', known: inFlight, retries, error: expired };
    const stateAfter = (wasTooOld: boolean) =>
      after(judging, { is: 'judged', wasTooOld, ...moment }, premises(ending))[0];
    expect(stateAfter(true)).toMatchObject({ at: 'waiting', known: { isInDoubt: false } });
    expect(stateAfter(false)).toMatchObject({ at: 'waiting', known: { isInDoubt: true } });
  });
});

describe('an order', () => {
  it('is placed once: late subscribers get it', () => {
    expect(row(placing, sending(inFlight), { is: 'answered', output: 'it' })).toBe('done, place, emit');
    expect(row(placing, done, subscribed)).toBe('done, emit');
  });

  it('is looked up after each lost response, and never sent again before', () => {
    expect(row(placing, sending(inFlight), failed(unclear))).toBe('asking, doubt, ask for 30000');
    expect(row(placing, idle(inFlight), subscribed)).toBe('asking, doubt, ask for 30000');
  });

  it('is not looked up with a lookupTimeoutMs of 0, until a later subscription', () => {
    const none = { lookupTimeoutMs: 0 };
    expect(row(placing, sending(inFlight), failed(unclear), none)).toBe('idle, leave in doubt, fail transport unknown');
    expect(row(placing, idle(inFlight), subscribed, none)).toBe('asking, doubt, ask for 30000');
  });

  it('ends as its lookups say', () => {
    const lost = { ...inFlight, cause: unclear };
    expect(row(placing, asking(lost), { is: 'found', output: 'it', ...moment })).toBe('done, place found, emit');
    expect(row(placing, asking(lost), { is: 'absent', ...moment })).toBe('waiting, absent, wait 100');
    expect(row(placing, asking(lost), { is: 'undecided', reason: 'late', ...moment })).toBe(
      'idle, leave in doubt, fail transport unknown',
    );
  });

  it('counts the Retry-After of a lost response from the response', () => {
    const lost = knownAfter(placing, sending(inFlight), failed(busy));
    const event: Event<Output> = { is: 'absent', now: 2000, jitter: 0 };
    expect(row(placing, asking(lost), event)).toBe('waiting, absent, wait 1000');
  });

  it('does not exist when it was refused, and is sent again after a transient refusal', () => {
    expect(row(placing, sending(inFlight), failed(api('amount')))).toBe('idle, leave, fail api rejected');
    expect(knownAfter(placing, sending(inFlight), failed(unsent))).toMatchObject({
      open: undefined,
      first: undefined,
      sends: 0,
    });
  });

  it('is looked up when its identifier is in use after an earlier request', () => {
    const second = { ...inFlight, sends: 2 };
    const taken = failed(api('client-order-id'));
    expect(row(placing, sending(inFlight), taken)).toBe('idle, leave, fail api rejected');
    expect(row(placing, sending(second), taken)).toBe('asking, doubt, ask for 30000');
    const refuted = knownAfter(placing, sending(second), taken);
    expect(refuted.refuted).toBe('in use');
    expect(row(placing, asking(refuted), { is: 'absent', ...moment })).toBe(
      'idle, leave in doubt, fail lookup unknown',
    );
  });

  it('judges a nonce that was rejected for its age by the clock', () => {
    expect(row(placing, sending(inFlight), failed(expired))).toBe('judging, judge');
    const judging: State<Output> = { at: 'judging', known: inFlight, retries, error: expired };
    expect(row(placing, judging, { is: 'judged', wasTooOld: true, ...moment })).toBe('waiting, wait 0 free');
    expect(row(placing, judging, { is: 'judged', wasTooOld: false, ...moment })).toBe('asking, doubt, ask for 30000');
  });

  it('stays in doubt when it is left, or its time is over, while it may have been executed', () => {
    expect(row(placing, sending(inFlight), { is: 'unsubscribed' })).toBe('idle, leave unsubscribed');
    expect(row(placing, sending(inFlight), { is: 'timed out', afterMs: 1 })).toBe(
      'idle, leave in doubt, fail timeout unknown',
    );
    expect(row(placing, waiting(), { is: 'timed out', afterMs: 1 })).toBe('idle, leave, fail timeout not-executed');
    expect(row(placing, sending(inFlight), { is: 'aborted', reason: undefined })).toBe(
      'idle, leave in doubt, fail transport unknown',
    );
  });
});

describe('an order that is left while its nonce is judged', () => {
  it('keeps the error of its request for a later subscription', () => {
    const [judging] = after(sending(inFlight), failed(expired), premises(placing));
    const left = knownAfter(placing, judging, { is: 'unsubscribed' });
    expect(left).toMatchObject({ open: request, cause: expired });
  });
});

describe('a push of an order', () => {
  const push = { is: 'pushed', placedAt: 1000 } as const;
  const earlier = { is: 'pushed', placedAt: -1001 } as const;
  const notOpen = { ...inFlight, open: undefined };

  it('is of another order when nothing was sent, or when it is older than the first request', () => {
    expect(row(placing, sending(), push)).toBe('sending');
    expect(knownAfter(placing, sending(inFlight), earlier).refuted).toBeUndefined();
  });

  it('keeps an order from being sent again', () => {
    for (const state of [waiting(notOpen), sending(notOpen)])
      expect(row(placing, state, push)).toBe('asking, doubt, ask for 30000');
  });

  it('is kept between subscriptions', () => {
    const pushed = knownAfter(placing, idle(notOpen), push);
    expect(row(placing, idle(pushed), subscribed)).toBe('asking, doubt, ask for 30000');
  });

  it('refutes a proof of absence, and a refusal', () => {
    const pushed = knownAfter(placing, sending(inFlight), push);
    expect(row(placing, asking(pushed), { is: 'absent', ...moment })).toBe('idle, leave in doubt, fail lookup unknown');
    expect(row(placing, sending(pushed), failed(api('amount')))).toBe('asking, doubt, ask for 30000');
  });
});

describe('a request that must never be sent twice', () => {
  it('is not sent again after a lost response, in no subscription', () => {
    expect(row(once, sending(inFlight), failed(unclear))).toBe('idle, leave in doubt, fail transport unknown');
    const lost = knownAfter(once, sending(inFlight), failed(unclear));
    expect(row(once, idle(lost), subscribed)).toBe('idle, leave in doubt, fail transport unknown');
    const left = knownAfter(once, sending(inFlight), { is: 'unsubscribed' });
    expect(row(once, idle(left), subscribed)).toBe('idle, leave in doubt, fail transport unknown');
  });

  it('is sent again when no request was executed', () => {
    const refused = knownAfter(once, sending(inFlight), failed(api('amount')));
    expect(row(once, idle(refused), subscribed)).toBe('sending, send');
  });

  it('gives its result to late subscribers', () => {
    expect(row(once, sending(inFlight), { is: 'answered', output: 'it' })).toBe('done, emit');
  });
});

describe('an order that the caller looks up', () => {
  const limits = { isRetried: false, retryPolicy: {}, validForMs: undefined };

  it('is looked up at each subscription, and never sent', () => {
    expect(row(finding, idle(inFlight), subscribed)).toBe('asking, doubt, ask for 30000');
    expect(row(finding, asking(), { is: 'found', output: 'it', ...moment })).toBe('idle, place found, emit');
    expect(row(finding, asking(), { is: 'absent', ...moment }, { limits })).toBe(
      'idle, absent, leave, fail not-placed not-executed',
    );
  });
});

describe('a request of several orders', () => {
  it('is retried for all of them only when it was certainly not executed', () => {
    expect(row(bulk, sending(inFlight), failed(limited))).toBe('waiting, wait 100');
    for (const error of [unclear, expired])
      expect(row(bulk, sending(inFlight), failed(error))).toBe(`idle, leave, fail ${error.kind} unknown`);
  });

  it('leaves its orders to be retried after a proof only', () => {
    const withdrawn = knownAfter(placing, sending(inFlight), { is: 'withdrawn', error: limited });
    expect(withdrawn.open).toBeUndefined();
    const own = { retriesProofsOnly: true };
    expect(row(placing, sending(withdrawn), failed(limited), own)).toBe('idle, leave, fail rate-limited rejected');
    expect(row(placing, asking(), { is: 'absent', ...moment }, own)).toBe('waiting, absent, wait 100');
  });
});

describe('a movement of money', () => {
  const own: Partial<Premises> = { comparing: 'uniqueId with a list', refusals: ['duplicate'] };
  const lost = { ...inFlight, cause: unclear };

  it('is looked up after a lost response, and never sent again', () => {
    expect(row(moving, sending(inFlight), failed(unclear), own)).toBe('asking, doubt, ask for 30000');
    expect(row(moving, asking(lost), { is: 'found', output: 'it', ...moment }, own)).toBe('done, place found, emit');
    expect(row(moving, asking(lost), { is: 'absent', ...moment }, own)).toBe(
      'failed, absent, leave, fail lookup not-executed',
    );
    expect(row(moving, asking(lost), { is: 'undecided', reason: 'late', ...moment }, own)).toBe(
      'idle, leave in doubt, fail lookup unknown',
    );
  });

  it('is looked up again by a later subscription while its outcome is unknown', () => {
    expect(row(moving, idle(lost), subscribed, own)).toBe('asking, doubt, ask for 30000');
  });

  it('ends every later subscription in the same way once it is proven not to be executed', () => {
    const [state] = after<Output>(asking(lost), { is: 'absent', ...moment }, premises(moving, own));
    expect(row(moving, state, subscribed, own)).toBe('failed, fail lookup not-executed');
    expect(row(moving, state, { is: 'unsubscribed' }, own)).toBe('failed');
  });

  it('is looked up when its key was used before, and is rejected when no record has its values', () => {
    const refused = failed(api('duplicate'));
    expect(row(moving, sending(inFlight), refused, own)).toBe('asking, doubt, ask for 30000');
    const [state] = after<Output>(sending(inFlight), refused, premises(moving, own));
    expect(row(moving, state, { is: 'absent', ...moment }, own)).toBe('failed, absent, leave, fail api rejected');
    expect(row(moving, state, { is: 'undecided', reason: 'late', ...moment }, own)).toBe(
      'idle, leave in doubt, fail lookup unknown',
    );
  });

  it('is sent again when its request was not executed', () => {
    expect(row(moving, sending(inFlight), failed(limited), own)).toBe('waiting, wait 100');
    expect(row(moving, sending(inFlight), failed(unsent), own)).toBe('waiting, wait 100');
  });
});

describe('an event that comes too late changes nothing', () => {
  it.each<[string, State<Output>, Event<Output>]>([
    ['a time-out after the end', done, { is: 'timed out', afterMs: 1 }],
    ['a response while nobody is subscribed', idle(), { is: 'answered', output: 'order' }],
    ['a second subscription', sending(), { is: 'subscribed', now: 0 }],
    ['a reading of the clock while a request is in flight', sending(), { is: 'judged', wasTooOld: true, ...moment }],
    ['a refused wait while a request is in flight', sending(), { is: 'denied' }],
  ])('%s', (_, state, event) => {
    expect(after(state, event, premises(placing))).toEqual([state, []]);
  });
});
