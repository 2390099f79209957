// The matrix of lost responses: every kind of order, every way to lose a response, every circumstance, in pairs. The
// exchange executes an order at most once, and the caller's report is what its ledger says.
import { retry, timeout } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { orderPaths, paths, type Premises } from '../../support/foreign-exchange.js';
import { gateway, losses, refusal, type Fault } from '../../support/foreign-network.js';
import {
  everyKind,
  expectTruth,
  expectTruthAfter,
  follow,
  habits,
  kinds,
  linked,
  ocoOrder,
  seconds,
  setup,
  useFakeTime,
  type Kind,
  type Report,
  type Setup,
} from './setup.js';

useFakeTime();

const isLookup = (path: string) => !orderPaths.includes(path) && path !== paths.time;

const faults: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(losses.map((how) => [`${how}, not executed`, { kind: 'lost before', how }])),
  ...Object.fromEntries(losses.map((how) => [`${how}, executed`, { kind: 'lost after', how }])),
  ...Object.fromEntries(
    [429, 500, 502, 408, 302].map((status) => [
      `HTTP ${status}, not executed`,
      { kind: 'response', response: gateway(status) },
    ]),
  ),
  ...Object.fromEntries(
    [500, 502, 408, 302].map((status) => [`HTTP ${status}, executed`, { kind: 'replaced', response: gateway(status) }]),
  ),
  'a connection that is refused': { kind: 'refused' },
  'a used nonce': { kind: 'response', response: refusal(429, 'Too many requests.') },
  'a copy refused by a limit': { kind: 'replaced', response: refusal(400, 'Too Many Attempts.') },
  'a copy refused by a limit, 422': { kind: 'replaced', response: refusal(422, 'Too Many Attempts.') },
  'a copy refused in other words': { kind: 'replaced', response: refusal(422, 'api.errors.time_window') },
  ...Object.fromEntries(
    [0, 1000, 4000, 6000, 9000, 12_000].map((afterMs) => [`a copy ${afterMs} ms later`, { kind: 'replayed', afterMs }]),
  ),
  ...Object.fromEntries(
    [100, 2000, 4500].map((byMs) => [`${byMs} ms late after a reset`, { kind: 'late', byMs, how: 'reset' }]),
  ),
  ...Object.fromEntries([100, 2000, 6000].map((byMs) => [`${byMs} ms late`, { kind: 'late', byMs }])),
};
const representative = ['reset, not executed', 'reset, executed', 'hang, executed', 'a copy 1000 ms later'] as const;

/** Long enough to send an order again after a proof. */
const patient = { validForMs: 90_000, callTimeoutMs: 120_000 };
const minutes = (count: number) => count * 60_000;

/** One more thing that is so at the same time. */
interface Circumstance {
  readonly name: string;
  readonly premises?: Partial<Premises>;
  readonly settleMs?: number;
  /** How far the local clock is from the true time. */
  readonly clockMs?: number;
  /** After the client has placed an order whose response had its identifier. */
  readonly arrange?: (all: Setup) => void;
  readonly among?: readonly string[];
  /** Each of them meets each fault. By default, each fault meets one of {@link kinds}, in every circumstance another. */
  readonly kinds?: readonly Kind[];
  readonly times?: number;
  /** Reports that are right besides `placed`. */
  readonly orElse?: readonly Report['as'][];
  /** Neither of them is right but this. */
  readonly only?: Report['as'];
}

const dates = [-6000, minutes(60)];
const lateness = Object.keys(faults).filter((name) => name.includes('late'));

const circumstances: readonly Circumstance[] = [
  { name: 'alone', kinds },
  { name: 'of another endpoint', kinds: everyKind.filter((kind) => !kinds.includes(kind)), among: representative },
  { name: 'three times in a row', times: 3, orElse: ['not executed', 'unknown'] },
  {
    name: 'with lookups that fail, too',
    arrange: ({ network }) => {
      let left = 8;
      network.chance = (path) => (isLookup(path) && left-- > 0 ? { kind: 'lost before', how: 'reset' } : undefined);
    },
  },
  {
    name: 'with lookups that all fail',
    among: representative,
    arrange: ({ network }) => {
      network.chance = (path) => (isLookup(path) ? { kind: 'lost before', how: 'unavailable' } : undefined);
    },
    only: 'unknown',
  },
  ...[-4, 4].map((count) => ({ name: `with an exchange ${count} minutes ahead`, clockMs: minutes(-count) })),
  {
    name: 'with an exchange whose clock is set four minutes ahead meanwhile',
    arrange: ({ foreign }) => {
      foreign.premises.clockOffsetMs = minutes(4);
    },
  },
  {
    name: 'with an exchange whose clock is set four minutes back meanwhile',
    among: ['reset, not executed'],
    arrange: ({ foreign }) => {
      foreign.premises.clockOffsetMs = minutes(-4);
    },
    only: 'unknown',
  },
  ...dates.map((dateOffsetMs) => ({
    name: `with a header Date that is ${dateOffsetMs} ms ahead, and no time to settle`,
    premises: { dateOffsetMs },
    settleMs: 0,
    among: [...lateness, ...representative],
    orElse: ['unknown'] as const,
  })),
  ...(['null', 'absent', 'numbers', 'new kinds'] as const).map((fields) => ({
    name: `with optional fields that are ${fields}`,
    premises: { fields },
    among: ['reset, executed'],
    kinds: everyKind,
  })),
  ...[500, 2000, 4000].map((historyLagMs) => ({
    name: `with a history that is ${historyLagMs} ms late`,
    premises: { historyLagMs },
    among: representative,
  })),
  ...[6000, 9900].map((engineDelayMs) => ({
    name: `with an engine that is ${engineDelayMs} ms behind its gateway`,
    arrange: ({ foreign }: Setup) => {
      foreign.premises.engineDelayMs = engineDelayMs;
    },
    among: Object.keys(faults).filter((name) => !/copy|HTTP|late/.test(name)),
  })),
  {
    name: 'with an unreadable record beside the others',
    premises: { unreadable: 'beside' },
    among: ['reset, executed'],
    kinds: everyKind,
  },
  {
    name: 'with unreadable records only',
    premises: { unreadable: 'instead' },
    among: ['reset, executed'],
    kinds: everyKind,
    only: 'unknown',
  },
  {
    name: 'with conditional orders among the open orders',
    premises: { listsLinkedApart: false },
    among: representative,
    kinds: [linked, ocoOrder],
  },
];

const offsetsOfClock = [minutes(-180), minutes(180), -90_000, 90_000];

/** A client that has seen the exchange keep identifiers of this kind. */
async function acquainted(kind: Kind, { premises = {}, settleMs, clockMs = 0 }: Partial<Circumstance> = {}) {
  const all = setup({
    premises,
    ...(settleMs === undefined ? {} : { settleMs }),
    ...(clockMs === 0 ? {} : { now: () => Date.now() + clockMs }),
  });
  const first = follow(kind.place(all.exchange, 'first'));
  await seconds(3);
  expect(first.as).toBe('placed');
  return all;
}

const plan = ({ network }: Setup, { path }: Kind, fault: Fault, times = 1) => {
  network.plan(path, ...Array.from({ length: times }, () => fault));
};

/** Each item with one kind of order, the first with the kind of this number. */
const inTurn = <Item extends object>(items: readonly Item[], first = 0) =>
  items.flatMap((item, index) =>
    kinds
      .slice((first + index) % kinds.length)
      .slice(0, 1)
      .map((kind) => ({ ...kind, ...item })),
  );

describe.each(circumstances.map((circumstance, number) => ({ ...circumstance, number })))(
  'an order $name',
  ({ number, ...circumstance }) => {
    const { among = Object.keys(faults), kinds: each, arrange, times, only, orElse = [] } = circumstance;
    const met = among.map((fault) => ({ fault }));
    const cases =
      each === undefined ? inTurn(met, number) : each.flatMap((kind) => met.map((one) => ({ ...kind, ...one })));

    it.each(cases)('is executed once and truly reported: $kind, $fault', async ({ fault: name, ...kind }) => {
      const all = await acquainted(kind, circumstance);
      arrange?.(all);
      const fault = faults[name];
      if (fault === undefined) throw new Error(`no fault is called ${name}`);
      plan(all, kind, fault, times);
      const report = follow(kind.place(all.exchange, 'a', patient).pipe(retry(3)));
      await seconds(300);
      expectTruth(all.foreign, 'a', report, ...(only === undefined ? (['placed', ...orElse] as const) : [only]));
      if (only === 'unknown') expect(all.foreign.executionsOf('a').length).toBeLessThanOrEqual(1);
    });
  },
);

const lossesOfEach = (['lost before', 'lost after'] as const).flatMap((when) => losses.map((how) => ({ when, how })));

describe('an order of a client with default options', () => {
  const subscribed = Object.entries(habits).flatMap(([habit, write]) =>
    lossesOfEach.map((loss) => ({ ...loss, habit, write })),
  );

  it.each(inTurn(subscribed))(
    'is executed once, whatever its subscribers do: $kind, $when, $how, $habit',
    async ({ when, how, habit, write, ...kind }) => {
      const all = await acquainted(kind);
      plan(all, kind, { kind: when, how });
      const report = follow(write(kind.place(all.exchange, 'a')));
      await seconds(200);
      expect(all.network.pending()).toBe(0);
      const mayEnd = when === 'lost before' && !habit.includes('retry');
      expectTruth(all.foreign, 'a', report, 'placed', ...(mayEnd ? (['not executed'] as const) : []));
    },
  );

  it.each(inTurn(lossesOfEach))(
    'is decided when its subscriber left and comes back: $kind, $when, $how',
    async ({ when, how, ...kind }) => {
      const all = await acquainted(kind);
      plan(all, kind, { kind: when, how });
      const order$ = kind.place(all.exchange, 'a');
      follow(order$.pipe(timeout(7)));
      await seconds(2);
      await expectTruthAfter(100, all.foreign, 'a', order$, when === 'lost after' ? 'placed' : 'not executed');
    },
  );

  it.each(kinds)('is decided within a proof, which takes less than 20 s: $kind', async (kind) => {
    for (const when of ['lost before', 'lost after'] as const) {
      const all = await acquainted(kind);
      plan(all, kind, { kind: when, how: 'reset' });
      const report = follow(kind.place(all.exchange, 'a', { retry: false }));
      await seconds(when === 'lost after' ? 2 : 20);
      expectTruth(all.foreign, 'a', report, when === 'lost after' ? 'placed' : 'not executed');
    }
  });

  it.each(kinds.flatMap((kind) => offsetsOfClock.map((offsetMs) => ({ ...kind, offsetMs }))))(
    'is emitted once when the local clock is set during its lookup: $kind, by $offsetMs ms',
    async ({ offsetMs, ...kind }) => {
      let off = 0;
      const all = setup({ now: () => Date.now() + off });
      follow(kind.place(all.exchange, 'first'));
      await seconds(3);
      plan(all, kind, { kind: 'lost after', how: 'reset' });
      all.exchange.events$.subscribe((event) => {
        if (event.type === 'order' && event.progress === 'looking-up') off = offsetMs;
      });
      await expectTruthAfter(90, all.foreign, 'a', kind.place(all.exchange, 'a', patient), 'placed');
    },
  );
});

it.each(kinds)(
  'orders of ten clients of one key, in as many processes, are executed once each, although their nonces collide: $kind',
  async ({ place }) => {
    const { foreign, connect } = setup();
    const reports = Array.from({ length: 10 }, (_, number) => {
      const id = `order-${number}`;
      return { id, report: follow(place(connect(), id, patient).pipe(retry(3))) };
    });
    await seconds(300);
    for (const { id, report } of reports) expectTruth(foreign, id, report, 'placed', 'not executed', 'unknown');
  },
);

describe('an order whose every attempt a proxy copies', () => {
  const copied = { kind: 'replayed', afterMs: 300, copies: 2 } as const;

  it.each(kinds)('is placed: $kind', async (kind) => {
    const all = await acquainted(kind);
    all.network.chance = (to) => (to === kind.path ? copied : undefined);
    await expectTruthAfter(240, all.foreign, 'a', kind.place(all.exchange, 'a', patient).pipe(retry(3)), 'placed');
  });

  it.each(kinds)('is unknown when the proxy copies the lookups, too: $kind', async (kind) => {
    const all = await acquainted(kind);
    all.network.chance = () => ({ ...copied, afterMs: 0 });
    await expectTruthAfter(300, all.foreign, 'a', kind.place(all.exchange, 'a', patient).pipe(retry(2)), 'unknown');
  });
});
