// Malformed frames of every channel, made of its recorded message: no bare error, no wrong value, and nobody else's
// stream disturbed.
import fc from 'fast-check';
import { config } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as account from '../../src/live/channels/account.js';
import { candlesOf } from '../../src/live/channels/candles.js';
import { depthOf } from '../../src/live/channels/depth.js';
import * as values from '../../src/live/channels/index.js';
import { trades } from '../../src/live/channels/trades.js';
import { messageSetup, recordedAt, recordedMessages, type RecordedMessage } from './recorded.js';
import { ms, onFakeTime } from './setup.js';

const { otoOrdersUpdate, readOtoChange, ...accountChannels } = account;

const readers: ReadonlyMap<string, (params: unknown) => unknown> = new Map<string, (params: unknown) => unknown>([
  ...[
    ...[trades, depthOf(100), candlesOf('BTC_USDT', '1m')],
    ...[...Object.values(values), ...Object.values(accountChannels)],
  ].map(({ method, read }) => [`${method}_update`, read] as const),
  [otoOrdersUpdate, (params) => [readOtoChange(params)]],
]);

type Path = readonly string[];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The places of all parts of a value, its own included. */
function placesIn(value: unknown): readonly Path[] {
  const parts = isObject(value) ? Object.entries(value) : [];
  return [[], ...parts.flatMap(([key, part]) => placesIn(part).map((path) => [key, ...path]))];
}

function partAt(value: unknown, [key, ...rest]: Path): unknown {
  return key === undefined || !isObject(value) ? value : partAt(Reflect.get(value, key), rest);
}

/** The value with another part at a place; `undefined` cuts it, and what follows it in a list. */
function replacedAt(value: unknown, [key, ...rest]: Path, replacement: unknown): unknown {
  if (key === undefined || !isObject(value)) return replacement;
  const part = replacedAt(Reflect.get(value, key), rest, replacement);
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return part === undefined ? list.slice(0, Number(key)) : list.with(Number(key), part);
  }
  return { ...value, [key]: part };
}

/** What a part of a message becomes: another type first; `undefined` cuts it. */
function malformationsOf(part: unknown): readonly unknown[] {
  return [...(isObject(part) ? [] : [{ odd: true }]), ...(typeof part === 'string' ? [] : ['text']), null, undefined];
}

/** The value with one more field in each record. A map, whose fields are records, is none. */
function extended(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(extended);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, part]) => [key, extended(part)] as const);
  const isRecord = fields.some(([, part]) => !isObject(part));
  return { ...Object.fromEntries(fields), ...(isRecord ? { added: { by: 1 } } : {}) };
}

/** Fields of the recordings that no schema has: they are kept as they are. */
const unknownFields = ['period', 'close'];

/** The parts of an item whose type is another one than in the recorded message. */
function wrongTypesIn(seen: unknown, recorded: unknown, place = ''): readonly string[] {
  if (seen === undefined || seen === null || recorded === undefined || recorded === null) return [];
  if (typeof seen !== typeof recorded || Array.isArray(seen) !== Array.isArray(recorded))
    return unknownFields.includes(place.split('.').at(-1) ?? '') ? [] : [place];
  if (!isObject(seen)) return [];
  return Object.entries(seen).flatMap(([key, part]) =>
    wrongTypesIn(part, Reflect.get(Object(recorded), Array.isArray(seen) ? 0 : key), `${place}.${key}`),
  );
}

const field = (item: unknown, name: string): unknown => (isObject(item) ? Reflect.get(item, name) : undefined);
const isState = ({ emits }: RecordedMessage) => field(emits[0], 'status') === 'live';
const isReport = (item: unknown) => field(item, 'status') === 'stale' || field(item, 'kind') === 'gap';

/** A stream of a message, and another one on the same connection that must not be disturbed. */
function watched(message: RecordedMessage) {
  const unhandled = vi.fn();
  config.onUnhandledError = unhandled;
  onTestFinished(() => {
    config.onUnhandledError = null;
  });
  const { watch } = messageSetup();
  const one = watch(message);
  const names = message.stream.startsWith('my.') ? ['my.borrows', 'my.balances'] : ['lastPrice', 'ticker'];
  const other = recordedMessages.find(([name, { stream }]) => names.includes(name) && stream !== message.stream)?.[1];
  if (other === undefined) throw new Error('no other message');
  const others = watch(other);
  const errors = () => [...one.errors, ...others.errors, ...unhandled.mock.calls];
  const push = (params: unknown = message.push.params) => {
    one.connection().push(message.push.method, params);
  };
  const pushOther = () => {
    others.connection().push(other.push.method, other.push.params);
  };
  return { ...one, others, errors, push, pushOther };
}

const odd: unknown[] = [null, '', '0', '-1', 'NaN', '1e400', '1'.repeat(300), -1, 1e308, 2 ** 60, true, {}, [], [[]]];
const replacement$ = fc.oneof(fc.constantFrom(...odd), fc.jsonValue());
/** A frame that is not JSON or no message, or a push with one value replaced. */
const frame$ = fc.oneof(
  { weight: 8, arbitrary: fc.record({ place: fc.nat(), replacement: replacement$ }) },
  { weight: 1, arbitrary: fc.string().map((text) => ({ text })) },
  { weight: 1, arbitrary: fc.jsonValue().map((value) => ({ text: JSON.stringify(value) })) },
);

/** 50,000 for each channel with FRAMES=50000. */
const frames = Number(process.env['FRAMES'] ?? 15);

describe('malformed frames', () => {
  onFakeTime(recordedAt);

  it.each(recordedMessages)('of %s: a part that is cut, null or of another type', (_, { push, required }) => {
    const read = readers.get(push.method) ?? (() => undefined);
    const recorded = read(push.params);
    const isUnreadable = (part: unknown): boolean =>
      field(part, 'unreadable') === true ||
      [part, field(part, 'item')].some(
        (one) => field(one, 'isWhole') === false || Number(field(one, 'unreadable')) > 0,
      );

    /** Whether a malformed push is unreadable; one that is not must have the right types. */
    function isReported(malformed: unknown, what: string): boolean {
      const parts = read(malformed);
      if (!Array.isArray(parts) || parts.some(isUnreadable)) return true;
      expect(wrongTypesIn(parts, recorded), what).toEqual([]);
      return false;
    }

    const reported = placesIn(push.params).filter((place) =>
      // What need not be of its type need not be there.
      malformationsOf(partAt(push.params, place)).every((replacement) =>
        isReported(
          replacedAt(push.params, place, replacement) ?? null,
          `${place.join('.')} is ${replacement === undefined ? 'cut' : JSON.stringify(replacement)}`,
        ),
      ),
    );
    expect(reported.map((place) => place.join('.'))).toEqual(['', ...required]);
  });

  it.each(recordedMessages)(
    'of %s: each is a gap or a stale value, and a valid push is live again',
    async (_, message) => {
      const { seen, others, errors, push, pushOther } = watched(message);
      await ms(3000);
      push();
      pushOther();
      await ms(100);
      seen.length = 0;
      others.seen.length = 0;
      push(null);
      await ms(5000);
      expect(seen.some(isReport)).toBe(true);
      push();
      await ms(1000);
      if (isState(message)) expect(seen.at(-1)).toMatchObject({ status: 'live' });
      expect([...errors(), ...others.seen]).toEqual([]);
    },
  );

  it.each(recordedMessages)('of %s: with fields that are new is read as ever', async (_, message) => {
    const { seen, errors, push } = watched(message);
    await ms(3000);
    seen.length = 0;
    push(extended(message.push.params));
    await ms(100);
    expect(seen).toMatchObject(message.emits);
    expect(errors()).toEqual([]);
  });

  it.each(recordedMessages)(
    'of %s: random ones throw nothing, and leave the other channels alone',
    async (_, message) => {
      const { params } = message.push;
      const places = placesIn(params);
      const { seen, others, errors, push, connection, pushOther } = watched(message);
      await ms(3000);
      for (const frame of fc.sample(frame$, { numRuns: frames, seed: 11 })) {
        if (connection().state !== 'open') await ms(20_000);
        if ('text' in frame) connection().frame(frame.text);
        else push(replacedAt(params, places[frame.place % places.length] ?? [], frame.replacement));
        await Promise.resolve();
        await Promise.resolve();
      }
      await ms(60_000);
      others.seen.length = 0;
      push();
      pushOther();
      await ms(1000);
      expect(errors()).toEqual([]);
      expect(others.seen.at(-1)).toMatchObject({ status: 'live' });
      if (isState(message)) expect(seen.at(-1)).toMatchObject({ status: 'live' });
    },
    60_000,
  );

  it('of a conditional order of another market are no gap, and an event that the exchange adds is kept', async () => {
    const [, message] = recordedMessages.find(([name]) => name === 'my.orders.oto') ?? [];
    if (message === undefined) throw new Error('no message of a conditional order');
    const { seen, errors, push } = watched(message);
    const oto = partAt(message.push.params, ['1']);
    const ofMarket = (market: string, number: unknown = 1) =>
      [number, replacedAt(oto, ['trigger_order', 'market'], market)] as const;
    await ms(3000);
    seen.length = 0;
    push(replacedAt(ofMarket('ETH_USDT'), ['1', 'id'], 'x'));
    push(ofMarket('ETH_USDT'));
    for (const event of [1, 2, 3, 9]) push(ofMarket('BTC_USDT', event));
    expect(seen).toMatchObject(['opened', 'updated', 'ended', '9'].map((event) => ({ kind: 'oto', event })));
    expect(errors()).toEqual([]);
  });
});
