// What moves money at most once, over a hand-written exchange: with a key, and without one.
import { createExchange, defineEndpoint, type Endpoint } from 'exchange-rx';
import { merge, retry, type Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { recordLookup, type RecordLookup } from '../../src/endpoint/index.js';
import { isAmountOf } from '../../src/endpoints/agrees-on.js';
import { pageOf, type PageOf } from '../../src/model/paging.js';
import { useFakeTimers, within } from '../support/fake-timers.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import { collected } from '../support/watch.js';

useFakeTimers();

const listedMovement = v.object({ id: v.string(), key: v.string(), amount: v.string(), at: v.number() });
type ListedMovement = v.InferOutput<typeof listedMovement>;

interface Movement extends ListedMovement {
  /** Unix ms. */
  readonly madeAt: number;
}

const list: Endpoint<{ limit: number; offset: number; key?: string }, PageOf<ListedMovement>> = defineEndpoint({
  name: 'moves.list',
  path: '/api/v4/moves/list',
  safety: 'read',
  request: v.strictObject({ limit: v.number(), offset: v.number(), key: v.exactOptional(v.string()) }),
  response: pageOf(listedMovement),
});

const plan = {
  compares: 'amount with moves.list',
  list,
  itemsOf: ({ data }: { readonly data: readonly ListedMovement[] }) => data,
  madeAt: ({ at }: ListedMovement) => at,
  outputOf: ({ id }: ListedMovement) => ({ id }),
};
const shared = {
  request: v.strictObject({ key: v.exactOptional(v.string()), amount: v.string() }),
  response: v.object({ id: v.string() }),
};
type Lookup = Partial<RecordLookup<{ id: string }, PageOf<ListedMovement>, ListedMovement>>;
const keyedOf = (name: string, lookup: Lookup = {}) =>
  defineEndpoint({
    ...{ name, path: '/api/v4/moves/keyed', safety: 'keyed', ...shared },
    errorCodes: [{ field: 'key', reason: 'duplicate' }],
    recordLookup: recordLookup({
      ...plan,
      matches: ({ key, amount }, fields) => key === fields['key'] && amount === fields['amount'],
      ...lookup,
    }),
  });
const unkeyedOf = (name: string, lookup: Lookup = {}) =>
  defineEndpoint({
    ...{ name, path: '/api/v4/moves/unkeyed', safety: 'once', movesMoneyOut: true, ...shared },
    recordLookup: recordLookup({
      ...plan,
      idOf: ({ id }) => id,
      matches: ({ amount }, fields) => isAmountOf(amount, fields['amount']),
      ...lookup,
    }),
  });
const [keyed, unkeyed] = [keyedOf('moves.keyed'), unkeyedOf('moves.unkeyed')];
const filtered = keyedOf('moves.filtered', { filterOf: ({ key }) => ({ key }) });
const split = keyedOf('moves.split', {
  partsOf: () => 2,
  matches: ({ key, amount }, fields, part) => key === `step ${part}` && amount === fields['amount'],
});

type Fate =
  'executed' | 'lost before' | 'lost after' | 'lost after another' | 'refused' | { readonly lateByMs: number };

/** An exchange that moves money, and what happens to the requests that do, one after another; then all are executed. */
function world({
  fates = new Array<Fate>(),
  options = {},
  listedAfterMs = 0,
  others = 0,
  unreadable = 0,
  filters = ({ key }: ListedMovement, wanted?: string) => wanted === undefined || key === wanted,
} = {}) {
  const moves: Movement[] = [];
  const seconds = () => Math.floor(Date.now() / 1000);
  const move = ({ key = '', amount = '' }: Partial<Movement>) => {
    moves.unshift({ id: `m${moves.length + 1}`, key, amount, at: seconds(), madeAt: Date.now() });
  };
  const { fetch, sent } = recordingFetch((request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/time')) return jsonAnswer({ time: seconds() });
    const body = JSON.parse(request.body) as Partial<Movement> & { readonly offset: number; readonly limit: number };
    if (pathname.endsWith('/list')) {
      const shown = moves.filter((move) => Date.now() >= move.madeAt + listedAfterMs && filters(move, body.key));
      const listed = [...Array.from({ length: unreadable }, () => ({ id: 'of a new kind' })), ...shown];
      return jsonAnswer({ data: listed.slice(body.offset, body.offset + body.limit) });
    }
    if (body.key !== undefined && moves.some(({ key }) => key === body.key))
      return jsonAnswer({ code: 0, message: 'Validation failed', errors: { key: ['taken'] } }, 400);
    const fate = fates.shift() ?? 'executed';
    if (fate === 'refused')
      return jsonAnswer({ code: 0, message: 'too small', errors: { amount: ['too small'] } }, 422);
    if (fate === 'lost after another') move(body);
    if (fate === 'executed' || fate === 'lost after' || fate === 'lost after another') move(body);
    if (fate === 'executed') return jsonAnswer({ id: moves[0]?.id });
    // What other programs move by the time of the lookup.
    for (let other = 0; other < others; other += 1) move({ key: `other-${other}`, amount: '7' });
    if (typeof fate === 'object') setTimeout(move, fate.lateByMs, body);
    throw new TypeError('fetch failed');
  });
  const exchange = createExchange({
    ...{ baseUrl: 'https://exchange.example', credentials: { apiKey: 'key', apiSecret: 'secret' } },
    ...{ fetch, allowWithdrawals: true, ...options },
  });
  const requests = () => sent.filter(({ url }) => /\/(un)?keyed$/.test(url)).length;
  return { exchange, moves, move, requests };
}

const resultsOf = (result$: Observable<unknown>) => within(120_000, result$);

const params = { key: 'k1', amount: '5' };
const both = [
  ['with a key', keyed],
  ['without a key', unkeyed],
] as const;

describe.each(both)('a movement %s', (_, endpoint) => {
  it('is sent once, and all subscribers get its result', async () => {
    const { exchange, moves, requests } = world();
    const moved$ = exchange.call(endpoint, params);
    expect(await resultsOf(moved$)).toMatchObject([{ id: 'm1' }]);
    expect(await resultsOf(moved$)).toMatchObject([{ id: 'm1' }]);
    expect([moves.length, requests()]).toEqual([1, 1]);
  });

  it.each<[string, Fate, aheadMs?: number]>([
    ['its response was lost', 'lost after'],
    ['the exchange executes it late', { lateByMs: 9000 }],
    ['the local clock is ahead', 'lost after', 90_000],
    ['the local clock is behind', 'lost after', -90_000],
  ])('is found when %s', async (_, fate, aheadMs = 0) => {
    const { exchange, moves, requests } = world({ fates: [fate], options: { now: () => Date.now() + aheadMs } });
    expect(await resultsOf(exchange.call(endpoint, params).pipe(retry(5)))).toMatchObject([{ id: 'm1' }]);
    expect([moves.length, requests()]).toEqual([1, 1]);
  });

  it('is reported as not executed when no list shows it, and retry() sends no other', async () => {
    const { exchange, moves, requests } = world({ fates: ['lost before'] });
    const [error] = await resultsOf(exchange.call(endpoint, params).pipe(retry(5)));
    expect(error).toMatchObject({ kind: 'lookup', outcome: 'not-executed' });
    expect(String(error)).toContain('no record has the same amount with moves.list');
    expect([moves.length, requests()]).toEqual([0, 1]);
  });

  it('is unknown with settleMs Infinity, and the error says what to compare', async () => {
    const { exchange } = world({ fates: ['lost before'], options: { settleMs: Number.POSITIVE_INFINITY } });
    const [error] = await resultsOf(exchange.call(endpoint, params));
    expect(error).toMatchObject({ kind: 'lookup', outcome: 'unknown', cause: { kind: 'transport' } });
    expect(String(error)).toContain('compare amount with moves.list');
  });

  it('is found by a later subscription when its caller left', async () => {
    const { exchange, moves, requests } = world({ fates: ['lost after'] });
    const moved$ = exchange.call(endpoint, params);
    moved$.subscribe({ error: () => undefined }).unsubscribe();
    const first = moved$.subscribe({ error: () => undefined });
    await vi.advanceTimersByTimeAsync(0);
    first.unsubscribe();
    expect(await resultsOf(moved$)).toMatchObject([{ id: 'm1' }]);
    expect([moves.length, requests()]).toEqual([1, 1]);
  });

  it('is proven absent by the lookups of several subscriptions', async () => {
    const { exchange } = world({ fates: ['lost before'] });
    const moved$ = exchange.call(endpoint, params);
    const first = moved$.subscribe();
    await vi.advanceTimersByTimeAsync(14_000);
    first.unsubscribe();
    expect(await within(1500, moved$)).toMatchObject([{ kind: 'lookup', outcome: 'not-executed' }]);
  });

  it('is rejected when the exchange refuses it, and may be sent again', async () => {
    const { exchange, requests } = world({ fates: ['refused'] });
    expect(await within(0, exchange.call(endpoint, params))).toMatchObject([{ kind: 'api', outcome: 'rejected' }]);
    expect(await within(0, exchange.call(endpoint, params))).toMatchObject([{ id: 'm1' }]);
    expect(requests()).toBe(2);
  });

  it('reports what is known of it in events', async () => {
    const { exchange } = world({ fates: ['executed', 'lost after'] });
    const events = collected(exchange.events$);
    await resultsOf(exchange.call(endpoint, { key: 'k0', amount: '4' }));
    await resultsOf(exchange.call(endpoint, params));
    const progress = events.flatMap((event) => (event.type === 'movement' ? [event.progress] : []));
    expect(progress).toEqual(['looking-up', 'found']);
  });
});

describe('a movement with a key', () => {
  it.each([
    ['is found by its key and its values when another program has sent it', '5', { id: 'm1' }],
    ['is rejected when its key was used for other values', '7', { reason: 'duplicate', outcome: 'rejected' }],
  ])('%s', async (_, amount, result) => {
    const { exchange, moves, move } = world();
    move({ key: 'k1', amount });
    expect(await resultsOf(exchange.call(keyed, params))).toMatchObject([result]);
    expect(moves).toHaveLength(1);
  });
});

describe('a list of many records', () => {
  it.each(both)('is read back to a movement %s, past a record that cannot be read', async (_, endpoint) => {
    const { exchange, move } = world({ fates: ['lost after'], others: 250, unreadable: 1 });
    move({ amount: '7' });
    expect(await resultsOf(exchange.call(endpoint, params))).toMatchObject([{ id: 'm2' }]);
  });

  it.each([
    ['it was not read back to the time of the request', { others: 600 }],
    ['its only page has a record that cannot be read', { others: 1, unreadable: 1 }],
    ['its first page has a record that cannot be read', { others: 150, unreadable: 1 }],
  ])('proves nothing where %s', async (_, records) => {
    const { exchange } = world({ fates: ['lost before'], ...records });
    const [error] = await resultsOf(exchange.call(keyed, params));
    expect(error).toMatchObject({ kind: 'lookup', outcome: 'unknown' });
    expect(String(error)).toContain('the list is incomplete');
  });

  it.each([
    ['shows the movement', { others: 600 }],
    ['shows nothing', { others: 250, filters: (_: unknown, wanted?: string) => wanted === undefined }],
  ])('finds a movement by its key, where the filter %s', async (_, records) => {
    const { exchange } = world({ fates: ['lost after'], ...records });
    expect(await resultsOf(exchange.call(filtered, params))).toMatchObject([{ id: 'm1' }]);
  });

  it('proves absence without its records of before the request', async () => {
    const { exchange, move } = world({ fates: ['lost before'] });
    for (let other = 0; other < 600; other += 1) move({ amount: '7' });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await resultsOf(exchange.call(keyed, params))).toMatchObject([{ outcome: 'not-executed' }]);
  });
});

it('a movement of two records is unknown while one of them is listed, and found by both', async () => {
  const { exchange, move } = world({ fates: ['lost before'] });
  const moved$ = exchange.call(split, params);
  move({ key: 'step 0', amount: '5' });
  const [error] = await resultsOf(moved$);
  expect(error).toMatchObject({ kind: 'lookup', outcome: 'unknown' });
  expect(String(error)).toContain('1 of 2 records are listed');
  move({ key: 'step 1', amount: '5' });
  expect(await resultsOf(moved$)).toMatchObject([{ id: 'm1' }]);
});

describe('a movement without a key', () => {
  it('is not taken for an earlier one of the same values', async () => {
    const { exchange, move } = world({ fates: ['lost before'] });
    move({ amount: '5' });
    expect(await resultsOf(exchange.call(unkeyed, { amount: '5' }))).toMatchObject([{ outcome: 'not-executed' }]);
  });

  it('is unknown when another program moved the same amount, too', async () => {
    const { exchange, requests } = world({ fates: ['lost after another'] });
    expect(await resultsOf(exchange.call(unkeyed, { amount: '5' }))).toMatchObject([{ outcome: 'unknown' }]);
    expect(requests()).toBe(1);
  });

  it('is not taken for one whose amount the exchange may have cut to the same: its outcome is unknown', async () => {
    const { exchange, move, requests } = world({ fates: ['lost before'] });
    const moved$ = exchange.call(unkeyed, { amount: '0.015' });
    await within(0, moved$);
    move({ amount: '0.01' });
    const [error] = await resultsOf(moved$);
    expect(error).toMatchObject({ kind: 'lookup', outcome: 'unknown' });
    expect(String(error)).toContain('the amount of the record may be the requested one, cut');
    expect(requests()).toBe(1);
  });

  it('is refused while one of the same values, or of a step in common, is in doubt at the same endpoint', async () => {
    const stepped = unkeyedOf('moves.stepped', { namesOf: ({ key }) => String(key).split(' ') });
    const options = { settleMs: Number.POSITIVE_INFINITY };
    const { exchange, requests } = world({ fates: ['lost before', 'lost before'], options });
    const inDoubt = [exchange.call(unkeyed, { amount: '5' }), exchange.call(stepped, { key: 'a b', amount: '5' })];
    for (const moved$ of inDoubt) await resultsOf(moved$);
    const same = [exchange.call(unkeyed, { amount: '5.0' }), exchange.call(stepped, { key: 'b c', amount: '5' })];
    const message = expect.stringMatching(/^are those of a request that is in flight/) as string;
    for (const moved$ of same)
      expect(await resultsOf(moved$)).toMatchObject([{ issues: [{ field: 'params', message }] }]);
    const others = [exchange.call(unkeyed, { amount: '6' }), exchange.call(unkeyedOf('moves.other'), { amount: '5' })];
    expect(await resultsOf(merge(...others))).toMatchObject([{ id: 'm1' }, { id: 'm2' }]);
    expect(requests()).toBe(4);
  });

  it.each([
    ['that is listed after 2 s', 10_000, 2000, 1900],
    ['that is never listed', 10_000, Number.POSITIVE_INFINITY, 12_000],
    ['that is never listed', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 62_000],
  ])('waits for the record of an earlier one, %s, with a settleMs of %s', async (_, settleMs, listedAfterMs, ms) => {
    const { exchange, move, requests } = world({ options: { settleMs, callTimeoutMs: 100_000 }, listedAfterMs });
    move({ amount: '5' });
    await vi.advanceTimersByTimeAsync(10_000);
    move({ amount: '7' });
    await vi.advanceTimersByTimeAsync(1000);
    await within(0, exchange.call(unkeyed, { amount: '5' }));
    const second = await within(ms, exchange.call(unkeyed, { amount: '5' }));
    expect(requests()).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect([second, requests()]).toMatchObject([[{ id: 'm4' }], 2]);
  });

  it('does not wait for the record of one of other values', async () => {
    const { exchange } = world({ listedAfterMs: Number.POSITIVE_INFINITY });
    await within(0, exchange.call(unkeyed, { amount: '6' }));
    expect(await within(0, exchange.call(unkeyed, { amount: '5' }))).toMatchObject([{ id: 'm2' }]);
  });

  it('is never proven absent where its list proves nothing, and the error says why', async () => {
    const { exchange } = world({ fates: ['lost before'] });
    const vague = unkeyedOf('moves.vague', { provesNothing: 'records have no account' });
    const [error] = await resultsOf(exchange.call(vague, params));
    expect(error).toMatchObject({ kind: 'lookup', outcome: 'unknown' });
    expect(String(error)).toContain('records have no account');
  });

  it('is not sent while the list before it cannot be read', async () => {
    const { exchange, requests } = world({ options: { retry: false } });
    vi.spyOn(JSON, 'parse').mockImplementationOnce(() => {
      throw new TypeError('fetch failed');
    });
    const notSent = { kind: 'transport', outcome: 'not-executed' };
    expect(await resultsOf(exchange.call(unkeyed, { amount: '5' }))).toMatchObject([notSent]);
    expect(requests()).toBe(0);
  });
});

describe('what moves money out of the account', () => {
  it.each([false, undefined])('is not sent while allowWithdrawals is %s', async (allowWithdrawals) => {
    const { exchange, requests } = world({ options: { allowWithdrawals } });
    const refused = { kind: 'request', issues: [{ field: 'allowWithdrawals' }] };
    expect(await resultsOf(exchange.call(unkeyed, { amount: '5' }))).toMatchObject([refused]);
    expect(requests()).toBe(0);
  });
});
