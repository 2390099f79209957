// The table of a call's life: what it does after each event, for every kind.
import { ApiError, AuthError, RateLimitedError, RequestError, TransportError, UnavailableError } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { after, outcomeOfEnd } from '../../src/call/after.js';
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

const answered: Event<Output> = { is: 'answered', output: 'it' };
const found: Event<Output> = { is: 'found', output: 'it', ...moment };
const absent: Event<Output> = { is: 'absent', ...moment };
const undecided: Event<Output> = { is: 'undecided', reason: 'late', ...moment };
const unsubscribed: Event<Output> = { is: 'unsubscribed' };
const timedOut: Event<Output> = { is: 'timed out', afterMs: 1 };
const judged = (wasTooOld: boolean): Event<Output> => ({ is: 'judged', wasTooOld, ...moment });
const judging: State<Output> = { at: 'judging', known: inFlight, retries, error: expired };
const doubted = { ...inFlight, isInDoubt: true };
const refused = failed(api('amount'));
const doubtful = failed(api('amount', 'unknown'));
const lostRead = failed(unclear.with({ outcome: 'none' }));
const lookedUp = 'asking, doubt, ask for 30000';

const sent = sending(inFlight);
const lost = failed(unclear);
/** The response to its request was lost. */
const lookups = asking({ ...inFlight, cause: unclear });
const notLookedUp = { lookupTimeoutMs: 0 };
const unretried = { limits: { isRetried: false, retryPolicy: {}, validForMs: undefined } };

type Row = [what: string, state: State<Output>, event: Event<Output>, then: string, own?: Partial<Premises>];
/** Expects what a call of this kind does. */
const expectOf =
  (kind: Kind) =>
  (...[, state, event, then, own]: Row) => {
    expect(row(kind, state, event, own)).toBe(then);
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
    for (const kind of [read, setting, placing, once]) {
      expect(row(kind, sending(), failed(limited), unretried)).toBe('idle, leave, fail rate-limited rejected');
      expect(row(kind, sending(inFlight), failed(stale), unretried)).toBe('idle, leave, fail auth rejected');
    }
  });

  it('is not sent again after its validity', () => {
    const limits = { isRetried: true, retryPolicy: { baseDelayMs: 100 }, validForMs: 99 };
    expect(row(placing, sending(), failed(limited), { limits })).toBe('idle, leave, fail rate-limited rejected');
  });
});

describe('a read', () => {
  const late = { is: 'timed out', afterMs: 500 } as const;

  it.each<Row>([
    ['emits at each subscription, and keeps nothing', sent, answered, 'idle, emit'],
    ['is sent again after a lost response', sent, lostRead, 'waiting, wait 100'],
    ['changes nothing by a request that timed out', sent, late, 'idle, leave, fail timeout none'],
    ['changes nothing before it is sent', sending(), late, 'idle, leave, fail timeout not-executed'],
  ])('%s', expectOf(read));
});

describe('a setting', () => {
  const notFound = failed(api('order-not-found'));

  it.each<Row>([
    ['is sent again after a lost response', sent, lost, 'waiting, wait 100'],
    ['is sent again after an error that may follow its execution', sent, doubtful, 'waiting, wait 100'],
    ['is not executed when it is not sent in time', sending(), timedOut, 'idle, leave, fail timeout not-executed'],
    ['is not looked up', sending(doubted), notFound, 'idle, leave, fail api unknown'],
  ])('%s', expectOf(setting));

  it('keeps the doubt about an earlier request, whatever becomes of the last one', () => {
    const earlier = knownAfter(setting, sent, lost);
    expect(earlier).toMatchObject({ isInDoubt: true, open: undefined });
    expect(row(setting, sending({ ...earlier, open: request }), refused)).toBe('idle, leave, fail api unknown');
    expect(row(setting, waiting(earlier), timedOut)).toBe('idle, leave, fail timeout unknown');
  });

  it('is in doubt when it is left in flight, to the end of its subscription', () => {
    const left = knownAfter(setting, sent, unsubscribed);
    expect(left).toMatchObject({ isInDoubt: true, open: undefined });
    expect(knownAfter(setting, idle(left), subscribed).isInDoubt).toBe(false);
  });
});

describe('a cancel, a modification, a close', () => {
  const missing = api('order-not-found');
  const lookup = asking(doubted, missing);
  const doubtfulLookup = asking(doubted, api('order-not-found', 'unknown'));

  it.each<Row>([
    ['is looked up when an earlier request may be the reason', sending(doubted), failed(missing), 'asking, ask for 0'],
    ['is rejected when it was the only one', sent, failed(missing), 'idle, leave, fail api rejected'],
    ['is unknown after another refusal', sending(doubted), refused, 'idle, leave, fail api unknown'],
    ['is looked up after another that may be a copy’s', sending(doubted), doubtful, 'asking, ask for 0', unretried],
    ['stays in doubt when it is left', sending(doubted), unsubscribed, 'idle, leave'],
    ['ends as its lookup says: found', lookup, found, 'idle, place found, emit'],
    ['ends as its lookup says: absent', lookup, absent, 'idle, leave, fail api rejected'],
    ['is rejected then, whatever refused it', doubtfulLookup, absent, 'idle, leave, fail api rejected'],
    ['ends as its lookup says: undecided', lookup, undecided, 'idle, leave, fail api unknown'],
    ['judges a nonce that was rejected for its age', sent, failed(expired), 'judging, judge'],
  ])('%s', expectOf(ending));

  it('is in no doubt after it was proven absent, or refused', () => {
    const lookupOfEarlier = asking({ ...doubted, open: undefined }, missing);
    for (const ended of [knownAfter(ending, lookupOfEarlier, absent), knownAfter(ending, sent, refused)])
      expect(ended).toMatchObject({ sends: 1, isInDoubt: false });
  });

  it('is looked up for an earlier subscription, too', () => {
    const [state] = after(idle(known({ isInDoubt: true })), subscribed, premises(ending));
    expect(told(after(state, failed(missing), premises(ending)))).toBe('asking, ask for 0');
  });

  it.each([true, false])('is in doubt unless its nonce was too old by the clock: %s', (wasTooOld) => {
    const [state] = after(judging, { is: 'judged', wasTooOld, ...moment }, premises(ending));
    expect(state).toMatchObject({ at: 'waiting', known: { isInDoubt: !wasTooOld } });
  });
});

describe('an order', () => {
  const second = { ...inFlight, sends: 2 };
  const taken = failed(api('client-order-id'));
  const inUse = knownAfter(placing, sending(second), taken);
  const aborted = { is: 'aborted', reason: undefined } as const;
  const inDoubt = 'idle, leave in doubt, fail';

  it.each<Row>([
    ['is placed once', sent, answered, 'done, place, emit'],
    ['gives its result to late subscribers', done, subscribed, 'done, emit'],
    ['is looked up after a lost response', sent, lost, lookedUp],
    ['is looked up by a later subscription, before it is sent', idle(inFlight), subscribed, lookedUp],
    ['is not looked up with a lookupTimeoutMs of 0', sent, lost, `${inDoubt} transport unknown`, notLookedUp],
    ['is looked up by a later subscription all the same', idle(inFlight), subscribed, lookedUp, notLookedUp],
    ['ends as its lookups say: found', lookups, found, 'done, place found, emit'],
    ['ends as its lookups say: absent', lookups, absent, 'waiting, absent, wait 100'],
    ['ends as its lookups say: undecided', lookups, undecided, `${inDoubt} transport unknown`],
    ['ends when a lookup throws', asking(), lost, `${inDoubt} transport unknown`],
    ['does not exist when it was refused', sent, refused, 'idle, leave, fail api rejected'],
    ['is rejected when its identifier is in use', sent, taken, 'idle, leave, fail api rejected'],
    ['is looked up when an earlier request had the identifier', sending(second), taken, lookedUp],
    ['is not proven absent then', asking(inUse), absent, `${inDoubt} lookup unknown`],
    ['judges a nonce that was rejected for its age', sent, failed(expired), 'judging, judge'],
    ['is sent again when its nonce was too old', judging, judged(true), 'waiting, wait 0 free'],
    ['is looked up when its nonce was not too old', judging, judged(false), lookedUp],
    ['is in doubt when it is left in flight', sent, unsubscribed, 'idle, leave unsubscribed'],
    ['is in doubt when its time is over in flight', sent, timedOut, `${inDoubt} timeout unknown`],
    ['is not executed when its time is over before', waiting(), timedOut, 'idle, leave, fail timeout not-executed'],
    ['is in doubt when it is aborted in flight', sent, aborted, `${inDoubt} transport unknown`],
  ])('%s', expectOf(placing));

  it('counts the Retry-After of a lost response from the response', () => {
    const unavailable = knownAfter(placing, sent, failed(busy));
    const event: Event<Output> = { is: 'absent', now: 2000, jitter: 0 };
    expect(row(placing, asking(unavailable), event)).toBe('waiting, absent, wait 1000');
  });

  it.each([
    ['did not leave, as if it was the first', unsent, [undefined, undefined, 0]],
    ['was refused, and may have been copied', limited, [undefined, request, 1]],
  ])('is sent again after a request that %s', (_, error, then) => {
    const { open, first, sends } = knownAfter(placing, sent, failed(error));
    expect([open, first, sends]).toEqual(then);
  });

  it('keeps the error of its request for a later subscription when it is left while its nonce is judged, or its result is looked up', () => {
    const [state] = after(sent, failed(expired), premises(placing));
    expect(knownAfter(placing, state, unsubscribed)).toMatchObject({ open: request, cause: expired });
    expect(knownAfter(placing, lookups, timedOut).cause).toBe(unclear);
  });
});

describe('a push of an order', () => {
  const push = { is: 'pushed', placedAt: 1000 } as const;
  const notOpen = { ...inFlight, open: undefined };
  const pushed = knownAfter(placing, sent, push);
  const pushedIdle = knownAfter(placing, idle(notOpen), push);

  it.each<Row>([
    ['is of another order when nothing was sent', sending(), push, 'sending'],
    ['is noted while a request is in flight', sent, push, 'sending'],
    ['keeps an order from being sent again while it waits', waiting(notOpen), push, lookedUp],
    ['keeps an order from being sent again while its request is prepared', sending(notOpen), push, lookedUp],
    ['is kept between subscriptions', idle(pushedIdle), subscribed, lookedUp],
    ['refutes a proof of absence', asking(pushed), absent, 'idle, leave in doubt, fail lookup unknown'],
    ['refutes a refusal', sending(pushed), refused, lookedUp],
  ])('%s', expectOf(placing));

  it('keeps the outcome of an order unknown that nothing was sent for since', () => {
    expect(outcomeOfEnd(pushedIdle, placing)).toBe('unknown');
  });

  it('is of another order when it is older than the first request', () => {
    expect(knownAfter(placing, sent, { is: 'pushed', placedAt: -1001 }).refuted).toBeUndefined();
  });
});

describe('a request that must never be sent twice', () => {
  const executed = knownAfter(once, sent, lost);
  const left = knownAfter(once, sent, unsubscribed);
  const late = knownAfter(once, sent, timedOut);
  const rejected = knownAfter(once, sent, refused);
  const inDoubt = 'idle, leave in doubt, fail transport unknown';

  it.each<Row>([
    ['is not sent again after a lost response', sent, lost, inDoubt],
    ['is not sent again in a later subscription', idle(executed), subscribed, inDoubt],
    ['is not sent again after it was left in flight', idle(left), subscribed, inDoubt],
    ['is sent again when no request was executed', idle(rejected), subscribed, 'sending, send'],
    [
      'ends with the error of its time limit again',
      idle(late),
      subscribed,
      'idle, leave in doubt, fail timeout unknown',
    ],
    ['gives its result to late subscribers', sent, answered, 'done, emit'],
  ])('%s', expectOf(once));
});

describe('an order that the caller looks up', () => {
  const proven = 'idle, absent, leave, fail not-placed not-executed';

  it.each<Row>([
    ['is looked up at each subscription', idle(inFlight), subscribed, lookedUp],
    ['is emitted when it is found', asking(), found, 'idle, place found, emit'],
    ['is never sent', asking(), absent, proven, unretried],
  ])('%s', expectOf(finding));
});

describe('a request of several orders', () => {
  const own = { retriesProofsOnly: true };
  const withdrawn = knownAfter(placing, sent, { is: 'withdrawn', error: limited });

  it.each<Row>([
    ['is retried for all of them when it was not executed', sent, failed(limited), 'waiting, wait 100'],
    ['is not retried after a lost response', sent, lost, 'idle, leave, fail transport unknown'],
    ['is not retried after an old nonce', sent, failed(expired), 'idle, leave, fail auth unknown'],
  ])('%s', expectOf(bulk));

  it('leaves its orders to be retried after a proof only', () => {
    expect(withdrawn.open).toBeUndefined();
    expect(row(placing, sending(withdrawn), failed(limited), own)).toBe('idle, leave, fail rate-limited rejected');
    expect(row(placing, asking(), absent, own)).toBe('waiting, absent, wait 100');
  });
});

describe('a movement of money', () => {
  const own: Partial<Premises> = { comparing: 'uniqueId with a list', refusals: ['duplicate'] };
  const open = { ...inFlight, cause: unclear };
  const duplicate = failed(api('duplicate'));
  const [proven] = after<Output>(lookups, absent, premises(moving, own));
  const [used] = after<Output>(sent, duplicate, premises(moving, own));
  const unknown = 'idle, leave in doubt, fail lookup unknown';
  const rejected = 'failed, absent, leave, fail api rejected';
  const notExecuted = 'failed, absent, leave, fail lookup not-executed';

  it.each<Row>([
    ['is looked up after a lost response', sent, lost, lookedUp, own],
    ['ends as its lookups say: found', lookups, found, 'done, place found, emit', own],
    ['is never sent again, although it is absent', lookups, absent, notExecuted, own],
    ['ends as its lookups say: undecided', lookups, undecided, unknown, own],
    ['is looked up by a later subscription while it is unknown', idle(open), subscribed, lookedUp, own],
    ['ends later subscriptions alike once it is proven', proven, subscribed, 'failed, fail lookup not-executed', own],
    ['stays proven when they leave', proven, unsubscribed, 'failed', own],
    ['is looked up when its key was used before', sent, duplicate, lookedUp, own],
    ['is rejected when no record of its key has its values', used, absent, rejected, own],
    ['is unknown when the records of the key are', used, undecided, unknown, own],
    ['is sent again when its request was rejected', sent, failed(limited), 'waiting, wait 100', own],
    ['is sent again when its request was not sent', sent, failed(unsent), 'waiting, wait 100', own],
  ])('%s', expectOf(moving));
});

describe('the message of a call that failed', () => {
  const movement: Partial<Premises> = { comparing: 'uniqueId with a list' };
  const unreachable = new UnavailableError({ status: 503, ...noBody }, undefined, 'orders.open');
  const pushed = knownAfter(placing, sent, { is: 'pushed', placedAt: 1000 });
  const inUse = asking(knownAfter(placing, sending({ ...inFlight, sends: 2 }), failed(api('client-order-id'))));
  const noLookup: Event<Output> = { is: 'undecided', reason: 'late', failure: unreachable, ...moment };
  const leftInFlight = 'the caller unsubscribed while the request was in flight, so it may have been executed';
  const notProven = 'no order was found, which does not prove that none exists';

  it.each<[what: string, kind: Kind, State<Output>, Event<Output>, message: string, own?: Partial<Premises>]>([
    ['is that of the lost response', placing, lookups, undecided, 'the response was lost'],
    ['says why no lookup decided it', placing, asking(), undecided, `${notProven}: late`],
    [
      'says that no lookup succeeded',
      placing,
      lookups,
      noLookup,
      'the order could not be looked up: orders.open: HTTP 503',
    ],
    ['says that nothing was looked up', finding, sent, lost, 'the response was lost', notLookedUp],
    [
      'names what refutes its absence',
      placing,
      inUse,
      absent,
      'client_order_id is already in use, although no lookup found the order',
    ],
    [
      'names the push that a refusal contradicts',
      placing,
      sending(pushed),
      refused,
      'the live connection has pushed the order, which was rejected: HTTP 422',
      notLookedUp,
    ],
    [
      'says that no order exists',
      finding,
      asking(),
      absent,
      'the order was not placed: no order has this client_order_id, and no request in flight can create one',
    ],
    [
      'names the values to compare',
      moving,
      lookups,
      undecided,
      'it may have been executed: late; compare uniqueId with a list',
      movement,
    ],
    [
      'names the values that no record has',
      moving,
      lookups,
      absent,
      'it was not executed: no record has the same uniqueId with a list, and no request in flight can create one',
      movement,
    ],
    ['says that the caller left', once, idle(knownAfter(once, sent, unsubscribed)), subscribed, leftInFlight],
    ['is that of its time limit', read, sent, timedOut, 'the call did not end within 1 ms'],
    ['is that of its signal', placing, sent, { is: 'aborted', reason: 'no' }, 'aborted by its signal'],
  ])('%s', (_, kind, state, event, message, own = {}) => {
    const [, effects] = after(state, event, premises(kind, { ...unretried, ...own }));
    const errors = effects.flatMap((effect) => (effect.do === 'fail' ? [effect.error.message] : []));
    expect(errors).toEqual([`call: ${message}`]);
  });

  it('has the cause that a movement was unknown for', () => {
    const causeOf = (state: State<Output>, event: Event<Output>) => {
      const [, effects] = after(state, event, premises(moving, movement));
      return effects.flatMap((effect) => (effect.do === 'fail' ? [effect.error.cause] : []));
    };
    expect([causeOf(lookups, noLookup), causeOf(asking(), noLookup)]).toEqual([[unclear], [unreachable]]);
    const own = { ...movement, refusals: ['duplicate'] } as const;
    const [used] = after<Output>(sent, failed(api('duplicate')), premises(moving, own));
    expect(causeOf(used, undecided)).toMatchObject([{ reason: 'duplicate', outcome: 'unknown' }]);
  });

  it.each<[reason: string, State<Output>, Event<Output>, own?: Partial<Premises>]>([
    ['lookupTimeoutMs is 0, so nothing is looked up', sent, lost, notLookedUp],
    ['the call did not end within callTimeoutMs, 1 ms', sent, timedOut],
    ['the exchange reports that client_order_id is in use', inUse, absent],
    ['the live connection has pushed the order', asking(pushed), absent],
  ])('has its reason noted: %s', (reason, state, event, own) => {
    const [, effects] = after(state, event, premises(placing, own));
    expect(effects).toContainEqual(expect.objectContaining({ do: 'leave', reason }));
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
