// How the outcome of an order is decided: every step on fake time, with an exchange that responds as the test says.
import { ApiError, AuthError, RateLimitedError, RequestError, TransportError, UnavailableError } from 'exchange-rx';
import { concat, EMPTY, NEVER, Observable, of, Subject, throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AbsenceProof } from '../../src/orders/absence-proof.js';
import { ExchangeClock, nonceWindowMs } from '../../src/auth/index.js';
import {
  placing,
  RetryBudget,
  Run,
  type AttemptObserver,
  type Desk,
  type Keeper,
  type Note,
  type Premises,
  type Sent,
  type StartAttempt,
} from '../../src/call/index.js';
import { Redactor, undiciTransport } from '../../src/http/index.js';
import { lookUpUntilDecided } from '../../src/orders/lookups.js';
import type { OrderTiming } from '../../src/orders/order-desk.js';
import { createScheduler, InFlight } from '../../src/scheduler/index.js';

const start = 1_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

const lost = new TransportError('the connection was lost', { endpoint: 'place', outcome: 'unknown' });
const refused = new TransportError('could not connect', { endpoint: 'place', outcome: 'not-executed' });
const noBody = { code: undefined, exchangeMessage: undefined, errors: {}, body: undefined };
const gone = new UnavailableError({ status: 503, ...noBody }, undefined, 'place');
const disabled = new AuthError({ status: 401, ...noBody, code: 2 }, 'key-disabled', 'orders.open');
const taken = new ApiError({ status: 422, ...noBody, code: 36 }, 'client-order-id', {
  endpoint: 'place',
  outcome: 'rejected',
});
const limited = new RateLimitedError({ status: 429, ...noBody }, undefined, 'place');
const rejected = new ApiError({ status: 422, ...noBody, code: 32 }, 'amount', {
  endpoint: 'place',
  outcome: 'rejected',
});

const timing: OrderTiming = {
  settleMs: 10_000,
  historyLagMs: 2000,
  lookupTimeoutMs: 30_000,
  resumeTimeoutMs: 30_000,
};
const retryNotPlaced = { after: 'proof', ms: 0 } as const;

/** When an order that is sent at 0 can no longer be executed. */
const overMs = nonceWindowMs + timing.settleMs;
/** The lookups of an order whose nonce is the time at which it was sent. The last two are the proof. */
const lookups = [
  0,
  250,
  750,
  1750,
  3750,
  5750,
  7750,
  9750,
  11_750,
  13_750,
  overMs + 1,
  overMs + 1 + timing.historyLagMs,
];
const provenMs = overMs + 1 + timing.historyLagMs;

type Send = (observer: AttemptObserver<string>, clock: ExchangeClock) => { unsubscribe(): void };

/** An attempt that ends as the source does. */
const ending = (response$: Observable<string>) => (observer: AttemptObserver<string>) =>
  response$.subscribe({
    next: (order) => {
      observer.onOutput(order, { errorOf: () => lost });
    },
    error: (error: unknown) => {
      observer.onError(error);
    },
  });

/** A request that leaves now, and that the exchange can accept for a nonce window, or for ever. */
function sentNow(
  clock: ExchangeClock,
  nonce: { readonly nonce: number; readonly nonceWindow: boolean } | undefined,
): Sent {
  const sentAt = clock.local();
  const sentAtExchange = clock.toExchangeAtLeast(sentAt);
  const acceptableUntil = nonce?.nonceWindow === true ? nonce.nonce + nonceWindowMs : Number.POSITIVE_INFINITY;
  return { sentAt, sentAtExchange, acceptableUntil, acceptableUntilLocal: sentAt + acceptableUntil - sentAtExchange };
}

/** A request without a nonce, whose response is lost. */
const losing: Send = (observer, clock) => {
  observer.onSent(sentNow(clock, undefined));
  return ending(throwError(() => lost))(observer);
};

interface Setting {
  /** The response to each request; the last one is repeated. */
  readonly responses?: readonly Observable<string>[];
  readonly find?: (sent: Sent) => Observable<string>;
  readonly clock?: ExchangeClock;
  readonly send?: Send;
  readonly begin?: () => void;
  readonly readClock?: () => Observable<unknown>;
  readonly whyNoProof?: () => string | undefined;
  readonly nonceWindow?: boolean;
  readonly clockIsKnown?: boolean;
  readonly timing?: Partial<OrderTiming>;
  readonly callTimeoutMs?: number;
  /** After which errors the order is sent again, and the wait; by default it is not. */
  readonly retry?: { readonly after: 'any' | 'proof'; readonly ms: number; readonly max?: number };
}

function setup({
  responses = [of('order')],
  find = () => EMPTY,
  nonceWindow = true,
  clockIsKnown = true,
  whyNoProof = () => undefined,
  ...rest
}: Setting = {}) {
  const { retry } = rest;
  const clock = rest.clock ?? new ExchangeClock(() => Date.now());
  const learn = (aheadMs = 0) => {
    clock.learn({ shown: Date.now() + aheadMs, resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
  };
  if (clockIsKnown && rest.clock === undefined) learn();
  const steps: string[] = [];
  const reasons: string[] = [];
  const records: string[] = [];
  const times = { sent: [] as number[], found: [] as number[] };
  const own = { ...timing, ...rest.timing };
  const reading$ = new Observable<unknown>((subscriber) => {
    steps.push('clock');
    return (rest.readClock?.() ?? EMPTY).subscribe(subscriber);
  });
  const limits = {
    timeoutMs: 60_000,
    callTimeoutMs: rest.callTimeoutMs ?? 60_000,
    isRetried: retry !== undefined,
    retryPolicy: { baseDelayMs: retry?.ms ?? 0, maxRetries: retry?.max ?? 4, maxTotalMs: 1e9, random: () => 1 },
    priority: 'normal' as const,
    validForMs: undefined,
    onEvent: undefined,
  };
  const premises: Premises = {
    endpoint: 'place',
    kind: placing,
    limits,
    retriesProofsOnly: retry?.after === 'proof',
    lookup: {
      timeoutMs: own.lookupTimeoutMs,
      resumeTimeoutMs: own.resumeTimeoutMs,
      refusals: [],
      words: {
        absent: 'the caller unsubscribed while its request was in flight',
        undecided: (reason) =>
          `the caller unsubscribed while the order was in flight, and its outcome could not be determined: ${reason}`,
      },
    },
  };
  const lookup = {
    find: (sent: Sent) => {
      times.found.push(Date.now() - start);
      return find(sent);
    },
    readClock: () => reading$,
    whyNoProof,
  };
  let proof: { readonly of: Sent; readonly proof: AbsenceProof } | undefined;
  const note = (noted: Note<string>) => {
    if (noted.do === 'report') {
      steps.push(noted.progress);
      if (noted.reason !== undefined) reasons.push(noted.reason);
    } else if (noted.do === 'doubt') records.push(`doubt since ${noted.sent.sentAt - start}`);
    else if (noted.do === 'absent') records.push('decided');
    else if (noted.do === 'leave')
      records.push(noted.open === undefined ? 'leave' : `leave in doubt since ${noted.open.sentAt - start}`);
    else records.push('place');
  };
  const keeper: Keeper<string> = {
    begin: () => {
      rest.begin?.();
      records.push('claim');
      return { isCurrent: () => true };
    },
    ask: (question, pushed$) => {
      if (question.do === 'ask early' || question.open === undefined) return EMPTY;
      const { open, first = open, timeoutMs } = question;
      if (proof?.of !== open) proof = { of: open, proof: new AbsenceProof(open, clock, own) };
      const plan = { lookup, clock, sent: first, lookupTimeoutMs: timeoutMs, pushed$, notBefore: 0 };
      return lookUpUntilDecided({ ...plan, proof: proof.proof });
    },
    note,
  };
  const desk: Desk = {
    bounds: {
      scheduler: createScheduler(),
      inFlight: new InFlight(),
      signedInFlight: new InFlight(),
      budget: new RetryBudget(),
    },
    identity: { signing: undefined, clock, reading$ },
    wire: {
      baseUrl: '',
      transport: undiciTransport(),
      connectTimeoutMs: 0,
      redactor: new Redactor(),
    },
    journal: { events: new Subject(), lastCall: 0 },
  };
  const send: Send =
    rest.send ??
    ((observer) => {
      const response$ = responses[Math.min(times.sent.length, responses.length - 1)] ?? NEVER;
      times.sent.push(Date.now() - start);
      // A proof needs a reading since its request.
      if (clockIsKnown && times.sent.length > 1) learn();
      observer.onSent(sentNow(clock, { nonce: Date.now(), nonceWindow }));
      return ending(response$)(observer);
    });
  const startAttempt: StartAttempt<string> = (observer) => {
    let sending: { unsubscribe(): void } | undefined;
    return {
      start: () => {
        sending = send(observer, clock);
      },
      unsubscribe: () => {
        sending?.unsubscribe();
      },
    };
  };
  const call = { desk, limits, startedAt: 0, reportRetry: () => undefined };
  const run = new Run(call, { premises, keeper }, startAttempt);
  const order$ = new Observable<string>((subscriber) => {
    run.subscribe(subscriber);
  });
  const subscribe = () => {
    const seen: unknown[] = [];
    const subscription = order$.subscribe({
      next: (order) => seen.push(order),
      error: (error: unknown) => seen.push(error),
      complete: () => seen.push('end'),
    });
    return { seen, subscription };
  };
  return { clock, learn, steps, reasons, records, times, subscribe };
}

/** The lookups of an order that was sent before, and their decision. */
function lookUp(sent: Sent, own: OrderTiming = timing) {
  const clock = new ExchangeClock(() => Date.now());
  clock.learn({ shown: Date.now(), resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
  const found: number[] = [];
  const seen: unknown[] = [];
  const find = () => {
    found.push(Date.now() - start);
    return EMPTY;
  };
  lookUpUntilDecided({
    lookup: { find, readClock: () => EMPTY, whyNoProof: () => undefined },
    clock,
    sent,
    proof: new AbsenceProof(sent, clock, own),
    lookupTimeoutMs: own.lookupTimeoutMs,
    pushed$: NEVER,
    notBefore: 0,
  }).subscribe((decision) => seen.push(decision));
  return { found, seen };
}

describe('an order whose response was lost', () => {
  it('is looked up at once, and the order that is found is the result', async () => {
    const { steps, times, subscribe } = setup({ responses: [throwError(() => lost)], find: () => of('found') });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect([seen, steps]).toEqual([
      ['found', 'end'],
      ['looking-up', 'found'],
    ]);
    expect(times).toEqual({ sent: [0], found: [0] });
  });

  it('is looked up among the orders placed since it was sent', async () => {
    const since: number[] = [];
    const find = ({ sentAt }: Sent) => {
      since.push(sentAt);
      return of('found');
    };
    setup({ responses: [throwError(() => lost)], find }).subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect(since).toEqual([start]);
  });

  it('is looked up after 250, 500, 1000 ms and then every 2 s, when execution is over, and when the history must show it', async () => {
    const { times, subscribe } = setup({ responses: [throwError(() => lost)] });
    subscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times.found).toEqual(lookups);
  });

  it('is absent when no lookup finds it after settleMs and, historyLagMs later, none finds it again', async () => {
    const { steps, times, subscribe } = setup({ responses: [throwError(() => lost)] });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(provenMs - 1);
    expect([seen, steps]).toEqual([[], ['looking-up']]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toMatchObject([{ kind: 'not-placed', outcome: 'not-executed', cause: lost, endpoint: 'place' }]);
    expect(steps).toEqual(['looking-up', 'absent']);
    expect(times.sent).toEqual([0]);
  });

  it.each([
    ['6 s', 6000],
    ['9 s', 9000],
    ['all of settleMs', timing.settleMs],
  ])(
    'is found although it is executed late: the exchange takes %s after the nonce was acceptable',
    async (_, lateMs) => {
      const executedAt = start + nonceWindowMs + lateMs;
      const find = () => (Date.now() >= executedAt ? of('late') : EMPTY);
      const { times, subscribe } = setup({ responses: [throwError(() => lost)], find, retry: { after: 'any', ms: 0 } });
      const { seen } = subscribe();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(seen).toEqual(['late', 'end']);
      expect(times.sent).toEqual([0]);
    },
  );

  it.each([
    ['settleMs', { settleMs: 20_000, lookupTimeoutMs: 60_000 }, provenMs + 10_000],
    ['historyLagMs', { historyLagMs: 6000 }, provenMs + 4000],
  ])('is proven absent later with a longer %s', async (_, longer, ms) => {
    const { subscribe } = setup({ responses: [throwError(() => lost)], timing: longer });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toMatchObject([{ kind: 'not-placed' }]);
  });

  it('is never proven absent with a settleMs of Infinity', async () => {
    const { steps, subscribe } = setup({
      responses: [throwError(() => lost)],
      timing: { settleMs: Number.POSITIVE_INFINITY },
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([seen, steps]).toEqual([[lost], ['looking-up', 'unknown']]);
  });

  it.each([
    ['two lookups, the second when a history must show it', overMs + 1, [0, 250, 750, 1750, 2000]],
    [
      'no lookup at the last moment of its execution, but by the next and one after that',
      overMs,
      [0, 1, 501, 1501, 2001],
    ],
  ])('is proven absent by %s', async (_, sentBeforeMs, lookedUpAt) => {
    const { found, seen } = await lookedUpAfter(sentBeforeMs);
    expect(found).toEqual(lookedUpAt);
    expect(seen).toEqual([{ is: 'absent' }]);
  });

  it('is proven absent by one lookup where the history has no lag', async () => {
    const { found, seen } = await lookedUpAfter(overMs + 1, { historyLagMs: 0 });
    expect([found, seen]).toEqual([[0], [{ is: 'absent' }]]);
  });

  /** Looks up an order that was sent this long ago. */
  async function lookedUpAfter(ms: number, own: Partial<OrderTiming> = {}) {
    const [sentAt, acceptableUntil] = [start - ms, start - ms + nonceWindowMs];
    const sent = { sentAt, sentAtExchange: sentAt, acceptableUntil, acceptableUntilLocal: acceptableUntil };
    const { found, seen } = lookUp(sent, { ...timing, ...own });
    await vi.advanceTimersByTimeAsync(10_000);
    return { found, seen };
  }

  it.each([
    ['is sent again after the proof where the retry policy allows it', 50, ['second', 'end'], [0, provenMs + 50]],
    [
      'ends with NotPlacedError where the retry policy does not',
      undefined,
      [expect.objectContaining({ kind: 'not-placed' })],
      [0],
    ],
  ])('%s', async (_, waitMs, result, sent) => {
    const { steps, times, subscribe } = setup({
      responses: [throwError(() => lost), of('second')],
      ...(waitMs === undefined ? {} : { retry: { after: 'proof', ms: waitMs } }),
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(seen).toEqual(result);
    expect(steps).toEqual(['looking-up', 'absent']);
    expect(times.sent).toEqual(sent);
  });

  it.each([
    ['whose nonce does not follow the clock', { nonceWindow: false }],
    ['without a nonce', { send: losing }],
    ['whose lookups fail', { find: () => throwError(() => gone) }],
    ['while the clock of the exchange is not known', { clockIsKnown: false }],
  ])('stays unknown, and is not sent again: an order %s', async (_, setting: Setting) => {
    const { steps, times, reasons, subscribe } = setup({
      ...setting,
      responses: [throwError(() => lost)],
      retry: retryNotPlaced,
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(seen).toEqual([lost]);
    expect(steps.filter((step) => step !== 'clock')).toEqual(['looking-up', 'unknown']);
    expect(reasons).toEqual([expect.stringMatching(/^no lookup determined the outcome within 30000 ms/)]);
    expect(times.sent.length).toBeLessThanOrEqual(1);
  });

  it('stays unknown when the proof is complete, where not finding an order proves nothing, and says why', async () => {
    const whyNoProof = () => 'no order has quote an identifier';
    const { steps, times, reasons, subscribe } = setup({
      responses: [throwError(() => lost)],
      whyNoProof,
      retry: retryNotPlaced,
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(provenMs);
    expect(seen).toEqual([lost]);
    expect([steps, reasons, times.sent]).toEqual([
      ['looking-up', 'unknown'],
      ['no order has quote an identifier'],
      [0],
    ]);
  });

  it('is not looked up when its request never left', async () => {
    const { times, records, subscribe } = setup({ send: ending(throwError(() => lost)) });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect([seen, times.found, records]).toEqual([[lost], [], ['claim', 'leave']]);
  });

  it.each([
    [749, [0, 250]],
    [750, [0, 250, 750]],
  ])(
    'is given up when the next lookup would be later than lookupTimeoutMs, %i ms',
    async (lookupTimeoutMs, lookedUpAt) => {
      const { times, subscribe } = setup({ responses: [throwError(() => lost)], timing: { lookupTimeoutMs } });
      const { seen } = subscribe();
      await vi.advanceTimersByTimeAsync(5000);
      expect(seen).toEqual([lost]);
      expect(times.found).toEqual(lookedUpAt);
    },
  );

  it('is not looked up with a lookupTimeoutMs of 0', async () => {
    const { steps, reasons, times, records, subscribe } = setup({
      responses: [throwError(() => lost)],
      timing: { lookupTimeoutMs: 0 },
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect([seen, steps, times.found]).toEqual([[lost], ['unknown'], []]);
    expect(reasons).toEqual(['lookupTimeoutMs is 0, so the order is not looked up']);
    expect(records).toContain('doubt since 0');
  });

  it('is found by a later lookup when an earlier one failed', async () => {
    const results = [throwError(() => gone), of('found')];
    const { subscribe } = setup({ responses: [throwError(() => lost)], find: () => results.shift() ?? NEVER });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(250);
    expect(seen).toEqual(['found', 'end']);
  });

  it('is looked up again only after the Retry-After of a failed lookup', async () => {
    const busy = new UnavailableError({ status: 503, ...noBody }, 4000, 'orders.open');
    const results = [throwError(() => busy), of('found')];
    const { times, subscribe } = setup({ responses: [throwError(() => lost)], find: () => results.shift() ?? NEVER });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(4000);
    expect(seen).toEqual(['found', 'end']);
    expect(times.found).toEqual([0, 4000]);
  });

  it('stays unknown at once when a failed lookup asks for a longer wait than lookupTimeoutMs', async () => {
    const busy = new UnavailableError({ status: 503, ...noBody }, 40_000, 'orders.open');
    const { times, subscribe } = setup({ responses: [throwError(() => lost)], find: () => throwError(() => busy) });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect([seen, times.found]).toEqual([[lost], [0]]);
  });

  it('stays unknown at once when no lookup can ever succeed', async () => {
    const { steps, reasons, times, subscribe } = setup({
      responses: [throwError(() => lost)],
      find: () => throwError(() => disabled),
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toMatchObject([
      {
        kind: 'lookup',
        outcome: 'unknown',
        cause: disabled,
        message: `place: the order could not be looked up: ${disabled.message}`,
      },
    ]);
    expect([steps, reasons, times.found]).toEqual([['looking-up', 'unknown'], [disabled.message], [0]]);
  });

  it('is unknown after an error of another package from a lookup', async () => {
    const foreign = new Error('a defect');
    const { times, subscribe } = setup({ responses: [throwError(() => lost)], find: () => throwError(() => foreign) });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(seen).toMatchObject([{ kind: 'transport', outcome: 'unknown', cause: { message: 'a defect' } }]);
    expect(times.found).toEqual([0]);
  });
});

describe('an order whose client_order_id is already in use', () => {
  it('is rejected when nothing was sent before', async () => {
    const { steps, subscribe } = setup({ responses: [throwError(() => taken)] });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect([seen, steps]).toEqual([[taken], []]);
  });

  it('is rejected when the request before never reached the exchange', async () => {
    const { steps, subscribe } = setup({
      responses: [throwError(() => refused), throwError(() => taken)],
      retry: { after: 'any', ms: 0 },
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect([seen, steps]).toEqual([[taken], []]);
  });

  it('is looked up, and not reported as rejected, when a request of it was rejected before', async () => {
    const { steps, times, subscribe } = setup({
      responses: [throwError(() => limited), throwError(() => taken)],
      find: () => of('the first'),
      retry: { after: 'any', ms: 0 },
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect([seen, steps]).toEqual([
      ['the first', 'end'],
      ['looking-up', 'found'],
    ]);
    expect(times).toEqual({ sent: [0, 0], found: [0] });
  });

  it('is looked up when an earlier subscription sent a request of it', async () => {
    const { times, subscribe } = setup({
      responses: [throwError(() => rejected), throwError(() => taken)],
      find: () => of('the first'),
    });
    const seen = [subscribe().seen, subscribe().seen];
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual([[rejected], ['the first', 'end']]);
    expect(times).toEqual({ sent: [0, 0], found: [0] });
  });

  it('is in doubt again when it was proven absent and sent again, and is looked up since the first request', async () => {
    const since: number[] = [];
    const { steps, times, subscribe } = setup({
      responses: [throwError(() => lost), throwError(() => lost), throwError(() => taken)],
      find: ({ sentAt }) => {
        since.push(sentAt);
        return since.length <= 2 * lookups.length ? EMPTY : of('the first');
      },
      retry: retryNotPlaced,
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(steps).toEqual(['looking-up', 'absent', 'looking-up', 'absent', 'looking-up', 'found']);
    expect(times.sent).toHaveLength(3);
    expect(seen).toEqual(['the first', 'end']);
    expect(new Set(since)).toEqual(new Set([start]));
  });

  it('stays unknown, however often no lookup finds it', async () => {
    const { steps, reasons, times, subscribe } = setup({
      responses: [throwError(() => lost), throwError(() => taken)],
      retry: retryNotPlaced,
    });
    const first = subscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first.seen).toMatchObject([{ kind: 'lookup', outcome: 'unknown', cause: taken }]);
    const second = subscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(second.seen).toMatchObject([{ outcome: 'unknown' }]);
    expect(steps).toEqual(['looking-up', 'absent', 'looking-up', 'unknown', 'looking-up', 'unknown']);
    expect(reasons).toEqual(Array(2).fill('the exchange reports that client_order_id is in use'));
    expect(times.sent).toHaveLength(2);
  });
});

describe('an order observable', () => {
  it('emits at most one order, however often its lookup, its request or the reading of the clock emits', async () => {
    const twice = (order: string) => of(order, order);
    let count = 0;
    const find = () => {
      count += 1;
      return count < 3 ? EMPTY : twice('found');
    };
    const readClock = () => of('a reading', 'another', 'and another');
    const looked = setup({ responses: [throwError(() => lost)], find, clockIsKnown: false, readClock });
    const placed = setup({ responses: [twice('placed')] });
    const [seen, seenPlaced] = [looked.subscribe().seen, placed.subscribe().seen];
    await vi.advanceTimersByTimeAsync(60_000);
    expect([seen, looked.times.found, looked.records.filter((record) => record === 'place')]).toEqual([
      ['found', 'end'],
      [0, 250, 750],
      ['place'],
    ]);
    expect([seenPlaced, placed.records]).toEqual([
      ['placed', 'end'],
      ['claim', 'place'],
    ]);
  });

  it('does not fail after it emitted', async () => {
    const { subscribe } = setup({
      responses: [
        concat(
          of('placed'),
          throwError(() => lost),
        ),
      ],
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen).toEqual(['placed', 'end']);
  });
});

describe('the clocks of a proof', () => {
  it('are both past the execution: one that a response puts ahead does not shorten the proof', async () => {
    const { learn, subscribe } = setup({ responses: [throwError(() => lost)], timing: { historyLagMs: 0 } });
    const { seen } = subscribe();
    learn(2 * overMs);
    await vi.advanceTimersByTimeAsync(overMs);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(seen).toMatchObject([{ kind: 'not-placed' }]);
  });

  it('are both past the execution: one that the response of a lookup puts back prolongs the proof', async () => {
    const clock = new ExchangeClock(() => Date.now());
    const learn = (aheadMs: number) => {
      clock.learn({ shown: Date.now() + aheadMs, resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
    };
    learn(0);
    // The local clock has gained 4.5 s, which the first lookup shows that succeeds.
    const find = () => {
      if (Date.now() < start + overMs) return throwError(() => gone);
      learn(-4500);
      return EMPTY;
    };
    const { subscribe } = setup({
      find,
      clock,
      responses: [throwError(() => lost)],
      timing: { historyLagMs: 0 },
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(overMs + 4500);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(seen).toMatchObject([{ kind: 'not-placed' }]);
  });

  it('are both past the execution: a first lookup does not count when a later one shows that its clock was ahead', async () => {
    const clock = new ExchangeClock(() => Date.now());
    const learn = (aheadMs: number) => {
      clock.learn({ shown: Date.now() + aheadMs, resolutionMs: 0, sentAt: Date.now(), receivedAt: Date.now() });
    };
    learn(0);
    const find = () => {
      if (Date.now() > start + overMs + 1500) learn(-4500);
      return EMPTY;
    };
    const { subscribe } = setup({ find, clock, responses: [throwError(() => lost)] });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(overMs + 4500 + timing.historyLagMs);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(4000);
    expect(seen).toMatchObject([{ kind: 'not-placed' }]);
  });

  it('are both past the execution: the local clock as it was known when the order was sent', async () => {
    const sentAt = start - overMs - timing.historyLagMs;
    const quote = { sentAt, sentAtExchange: sentAt - 60_000, acceptableUntil: sentAt - 60_000 + nonceWindowMs };
    const early = lookUp({ ...quote, acceptableUntilLocal: sentAt + nonceWindowMs + 5000 });
    const late = lookUp({ ...quote, acceptableUntilLocal: sentAt + nonceWindowMs - 1 });
    await vi.advanceTimersByTimeAsync(4000);
    expect(early.seen).toEqual([]);
    expect(late.seen).toEqual([{ is: 'absent' }]);
  });

  it('are read between the lookups while the clock of the exchange is not known, and not after that', async () => {
    const read: number[] = [];
    const { learn, times, subscribe } = setup({
      responses: [throwError(() => lost)],
      clockIsKnown: false,
      readClock: () => {
        read.push(Date.now() - start);
        if (read.length === 2) learn();
        return read.length === 1 ? throwError(() => gone) : EMPTY;
      },
    });
    subscribe();
    await vi.advanceTimersByTimeAsync(4000);
    expect(read).toEqual([250, 750]);
    expect(times.found).toEqual([0, 250, 750, 1750, 3750]);
  });

  it('are not read when the clock of the exchange is known', async () => {
    const { steps, subscribe } = setup({ responses: [throwError(() => lost)] });
    subscribe();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(steps).not.toContain('clock');
  });
});

describe('a later subscription', () => {
  it('gets the order that was placed or found, and sends no request', async () => {
    for (const responses of [[of('order')], [throwError(() => lost)]]) {
      const { times, records, subscribe } = setup({ responses, find: () => of('order') });
      const first = subscribe();
      await vi.advanceTimersByTimeAsync(0);
      const before = structuredClone([times, records]);
      const second = subscribe();
      expect([first.seen, second.seen]).toEqual([
        ['order', 'end'],
        ['order', 'end'],
      ]);
      expect([times, records]).toEqual(before);
    }
  });

  it('looks up an order of unknown outcome, and ends with the same error as the one before', async () => {
    const { times, subscribe } = setup({
      responses: [throwError(() => lost)],
      timing: { lookupTimeoutMs: 100, resumeTimeoutMs: 100 },
    });
    const seen = [subscribe().seen];
    await vi.advanceTimersByTimeAsync(1000);
    seen.push(subscribe().seen);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual([[lost], [lost]]);
    expect(times).toEqual({ sent: [0], found: [0, 1000] });
  });

  it('looks up an order that was left in flight, and says that the caller unsubscribed', async () => {
    const { times, subscribe } = setup({ responses: [NEVER], timing: { lookupTimeoutMs: 100, resumeTimeoutMs: 100 } });
    subscribe().subscription.unsubscribe();
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    const message =
      'place: the caller unsubscribed while the order was in flight, and its outcome could not be determined: no lookup determined the outcome within 100 ms';
    expect(seen).toMatchObject([{ kind: 'lookup', outcome: 'unknown', endpoint: 'place', message }]);
    expect(times.sent).toEqual([0]);
  });

  it('sends an order that is known not to have been placed', async () => {
    const { times, subscribe } = setup({ responses: [throwError(() => refused), of('order')] });
    const seen = [subscribe().seen, subscribe().seen];
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toEqual([[refused], ['order', 'end']]);
    expect(times).toEqual({ sent: [0, 0], found: [] });
  });

  it('sends an order that an earlier subscription proved absent', async () => {
    const { times, subscribe } = setup({ responses: [throwError(() => lost), of('order')] });
    const first = subscribe();
    await vi.advanceTimersByTimeAsync(20_000);
    const second = subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect([first.seen, second.seen]).toMatchObject([[{ kind: 'not-placed' }], ['order', 'end']]);
    expect(times.sent).toEqual([0, 20_000]);
  });

  it('continues the proof of the one before', async () => {
    const { times, subscribe } = setup({
      responses: [throwError(() => lost)],
      callTimeoutMs: overMs + 1000,
    });
    const first = subscribe();
    await vi.advanceTimersByTimeAsync(overMs + 1000 + timing.historyLagMs);
    const second = subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect([first.seen, second.seen]).toMatchObject([
      [{ kind: 'timeout', outcome: 'unknown' }],
      [{ kind: 'not-placed' }],
    ]);
    expect(times.found.slice(-2)).toEqual([overMs + 1, overMs + 1000 + timing.historyLagMs]);
  });

  it('does not report the failure of an earlier request as the failure of the last one', async () => {
    const { times, subscribe } = setup({ responses: [throwError(() => lost), NEVER] });
    subscribe();
    await vi.advanceTimersByTimeAsync(20_000);
    const { subscription } = subscribe();
    expect(times.sent).toHaveLength(2);
    subscription.unsubscribe();
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(20_000);
    const message = 'place: the caller unsubscribed while its request was in flight';
    expect(seen).toMatchObject([{ kind: 'not-placed', cause: { message } }]);
  });
});

describe('an order that is known not to have been placed', () => {
  it('is sent again after the wait of the retry policy, and ends with the error when the policy allows no retry', async () => {
    const { times, subscribe } = setup({
      responses: [throwError(() => refused)],
      retry: { after: 'any', ms: 70, max: 1 },
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual([refused]);
    expect(times).toEqual({ sent: [0, 70], found: [] });
  });

  it('ends with the error of the check when it was refused before it was sent', async () => {
    const bad = new RequestError('place', [{ field: 'amount', message: 'is too small' }]);
    const { seen } = setup({ responses: [throwError(() => bad)] }).subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toEqual([bad]);
  });
});

describe('a subscription that takes longer than callTimeoutMs', () => {
  it('ends with outcome not-executed when no request left', async () => {
    const { steps, seen } = await timedOut({ send: ending(NEVER) });
    expect(seen).toMatchObject([
      { kind: 'timeout', phase: 'call', timeoutMs: 500, outcome: 'not-executed', endpoint: 'place' },
    ]);
    expect(steps).toEqual([]);
  });

  it('ends with outcome unknown when the request has left, and says why', async () => {
    const { steps, reasons, records, seen } = await timedOut({ responses: [NEVER] });
    expect(seen).toMatchObject([{ kind: 'timeout', phase: 'call', outcome: 'unknown' }]);
    expect([steps, reasons]).toEqual([['unknown'], ['the call did not end within callTimeoutMs, 500 ms']]);
    expect(records).toEqual(['claim', 'leave in doubt since 0']);
  });

  async function timedOut(setting: Setting) {
    const order = setup({ ...setting, callTimeoutMs: 500 });
    const { seen } = order.subscribe();
    await vi.advanceTimersByTimeAsync(500);
    return { ...order, seen };
  }
});

describe('an order that its last subscriber leaves', () => {
  it('is reported as left, and stays in doubt, when its request is in flight', () => {
    const { steps, records, subscribe } = setup({ responses: [NEVER] });
    const [first, second] = [subscribe(), subscribe()];
    first.subscription.unsubscribe();
    expect([steps, records]).toEqual([[], ['claim']]);
    second.subscription.unsubscribe();
    expect([steps, records]).toEqual([['unsubscribed'], ['claim', 'leave in doubt since 0']]);
  });

  it('is reported as left while it is looked up', async () => {
    const { steps, subscribe } = setup({ responses: [throwError(() => lost)] });
    const { subscription } = subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    subscription.unsubscribe();
    expect(steps).toEqual(['looking-up', 'unsubscribed']);
  });

  it('is not in doubt when nothing was sent', () => {
    const { steps, records, subscribe } = setup({ send: ending(NEVER) });
    subscribe().subscription.unsubscribe();
    expect([steps, records]).toEqual([[], ['claim', 'leave']]);
  });

  it('is not in doubt when it is left between two attempts', async () => {
    const { steps, records, subscribe } = setup({
      responses: [throwError(() => limited)],
      retry: { after: 'any', ms: 1000 },
    });
    const { subscription } = subscribe();
    await vi.advanceTimersByTimeAsync(10);
    subscription.unsubscribe();
    expect([steps, records]).toEqual([[], ['claim', 'leave']]);
  });
});

describe('the record of an order', () => {
  it('has its identifier before anything is sent, and keeps it when it is placed', async () => {
    const { records, subscribe } = setup();
    subscribe();
    await vi.advanceTimersByTimeAsync(0);
    expect(records).toEqual(['claim', 'place']);
  });

  it('refuses a subscription when another order has the identifier: nothing is sent', async () => {
    const used = new RequestError('place', [{ field: 'client_order_id', message: 'is already in use' }]);
    const { times, records, subscribe } = setup({
      begin: () => {
        throw used;
      },
    });
    const { seen } = subscribe();
    await vi.advanceTimersByTimeAsync(100);
    expect([seen, times.sent, records]).toEqual([[used], [], []]);
  });

  it('is in doubt from the loss of the response until the order is proven absent', async () => {
    const { records, subscribe } = setup({
      responses: [throwError(() => lost), of('order')],
      retry: { after: 'any', ms: 1000 },
    });
    subscribe();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(records).toEqual(['claim', 'doubt since 0', 'decided', 'place']);
  });

  it('gives the identifier back when the order was rejected, or proven absent', async () => {
    for (const error of [rejected, lost]) {
      const { records, subscribe } = setup({ responses: [throwError(() => error)] });
      subscribe();
      await vi.advanceTimersByTimeAsync(20_000);
      expect(records.at(-1)).toBe('leave');
    }
  });
});
