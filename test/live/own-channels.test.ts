// Channels that a program defines itself: what they emit, and that their mistakes end nobody else.
import { defineChannel, LiveRefusedError, RequestError, type ChannelDefinition } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds, setup, type Setup } from './setup.js';

const definition: ChannelDefinition<string> = {
  name: 'prices',
  subscribe: 'prices_subscribe',
  unsubscribe: 'prices_unsubscribe',
  update: 'prices_update',
  keys: 'list',
  read: (params) => (Array.isArray(params) ? [{ key: String(params[0]), item: String(params[1]) }] : undefined),
};
const prices = defineChannel(definition);

/** What the channel emits: items, the reasons of gaps, and names of errors. */
function listen({ exchange }: Setup, keys: readonly string[], channel = prices): string[] {
  const seen: string[] = [];
  exchange.live.channel(channel, keys).subscribe({
    next: (item) =>
      seen.push(item.kind === 'item' ? `${item.key} ${item.item}` : `${item.market ?? ''} ${item.reason}`),
    error: (error: unknown) => seen.push(error instanceof Error ? error.constructor.name : 'no error'),
  });
  return seen;
}

describe('a channel of your own', () => {
  onFakeTime();

  it('emits its items, and a gap when it is confirmed again after an outage', async () => {
    const all = setup();
    const { server, exchange } = all;
    const seen = listen(all, ['A', 'B']);
    exchange.live.channel(prices, ['A']).subscribe();
    await seconds(1);
    expect(server.script).toEqual(['1 prices_subscribe ["A","B"]']);
    server.last.push('prices_update', ['A', 1]);
    server.last.push('prices_update', ['B', 2]);
    await seconds(1);
    server.last.end();
    await seconds(1);
    expect(seen).toEqual(['A 1', 'B 2', 'A reconnect', 'B reconnect']);
    server.last.push('prices_update', ['A', 3]);
    await seconds(1);
    expect(seen.slice(4)).toEqual(['A 3']);
  });

  it('emits a gap for what was lost before the first item', async () => {
    const all = setup();
    const seen = listen(all, ['A']);
    await seconds(1);
    all.server.last.end();
    await seconds(1);
    expect(seen).toEqual(['A reconnect']);
  });

  it('emits no gap for a connection that was lost before the subscription was confirmed', async () => {
    const all = setup();
    const { server } = all;
    server.react = () => undefined;
    const seen = listen(all, ['A']);
    await seconds(1);
    server.react = (request) => {
      server.confirm(request);
    };
    server.last.end();
    await seconds(1);
    expect(seen).toEqual([]);
  });

  it('emits another gap when items came before the confirmation', async () => {
    const all = setup();
    const { server } = all;
    const seen = listen(all, ['A']);
    await seconds(1);
    server.react = (request) => {
      request.connection.push('prices_update', ['A', 1]);
      server.confirm(request);
    };
    server.last.end();
    await seconds(1);
    expect(seen).toEqual(['A reconnect', 'A 1', 'A reconnect']);
  });

  it('emits a gap at once for an unreadable push, and what is readable of it', async () => {
    const all = setup();
    const channel = defineChannel<string>({
      ...definition,
      read: (params) =>
        params === 'odd'
          ? [
              { key: 'A', unreadable: true },
              { key: 'B', item: 'b' },
            ]
          : undefined,
    });
    const seen = listen(all, ['A', 'B'], channel);
    await seconds(1);
    all.server.last.push('prices_update', 'odd');
    await seconds(1);
    expect(seen).toEqual(['A unreadable', 'B b']);
    all.server.last.push('prices_update', 'unreadable');
    await seconds(1);
    expect(seen.slice(2)).toEqual(['A unreadable', 'B unreadable']);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('a bug of the program');
      },
    ],
    ['returns null', () => null],
    ['returns a number', () => 5],
    ['returns a promise', () => Promise.resolve([])],
    ['returns a list of nothing', () => [undefined]],
    ['returns an item without a key', () => [{ item: 1 }]],
  ])('whose read %s has a gap, and ends nobody else', async (_, read) => {
    const all = setup();
    const { server, exchange } = all;
    // @ts-expect-error A careless definition.
    const seen = listen(all, ['A'], defineChannel<string>({ ...definition, read }));
    const last: string[] = [];
    exchange.live.lastPrice({ markets: ['BTC_USDT'] }).subscribe(({ price }) => last.push(price));
    await seconds(1);
    server.last.push('prices_update', ['A', 1]);
    server.last.push('lastprice_update', ['BTC_USDT', '7']);
    await seconds(1);
    expect(seen).toEqual(['A unreadable']);
    expect(last).toEqual(['7']);
    expect(server.connections).toHaveLength(1);
  });

  it.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('a bug of the program');
      },
    ],
    ['are no list', () => 'A'],
    ['hold a BigInt', () => [5n]],
  ])('whose params %s is refused before anything is opened', (_, params) => {
    const { server, exchange } = setup();
    // @ts-expect-error A careless definition.
    const channel = defineChannel<string>({ ...definition, params });
    expect(() => exchange.live.channel(channel, ['A'])).toThrow(RequestError);
    expect(() => exchange.live.channel(channel, ['A'])).toThrow('params must return an array that JSON can hold');
    expect(server.connections).toHaveLength(0);
  });

  it('whose params fail later ends, and nobody else', async () => {
    const all = setup();
    const { server, exchange } = all;
    let calls = 0;
    const channel = defineChannel<string>({
      ...definition,
      params: () => {
        calls += 1;
        return calls === 1 ? ['A'] : [5n];
      },
    });
    const seen = listen(all, ['A'], channel);
    exchange.live.lastPrice({ markets: ['BTC_USDT'] }).subscribe();
    await seconds(1);
    expect(seen).toEqual([LiveRefusedError.name]);
    expect(server.script).toContain('1 lastprice_subscribe ["BTC_USDT"]');
    expect(server.script.filter((line) => line.includes('prices_subscribe'))).toEqual([]);
    expect(server.connections).toHaveLength(1);
  });

  it('is refused while another channel has one of its methods, of the package or of your own', () => {
    const { exchange } = setup();
    const { live } = exchange;
    const own = defineChannel<string>({ ...definition, name: 'mine', update: 'lastprice_update' });
    expect(() => live.channel(own, ['A'])).toThrow(
      'live.channel: channel mine has the method lastprice_update of the channel lastPrice: define a channel once',
    );
    const books = defineChannel<string>({ ...definition, name: 'mine', subscribe: 'depth_subscribe' });
    expect(() => live.channel(books, ['A'])).toThrow('mine has the method depth_subscribe of the channel orderBook');
    live.channel(prices, ['A']);
    const again = defineChannel({ ...prices, name: 'again' });
    expect(() => live.channel(again, ['A'])).toThrow(RequestError);
    expect(() => live.channel(again, ['A'])).toThrow('again has the method prices_update of the channel prices');
    expect(() => live.channel(prices, ['B'])).not.toThrow();
  });

  it.each<[string, Partial<Record<keyof typeof definition, unknown>>]>([
    ['silenceMs NaN must be 1000 or more', { silenceMs: Number.NaN }],
    ['silenceMs 0 must be 1000 or more', { silenceMs: 0 }],
    ['keys "all" must be one of list, each, connection', { keys: 'all' }],
    ['name "" must be a text', { name: '' }],
    ['update is required', { update: undefined }],
    ['read "x" must be a function', { read: 'x' }],
    ['params "x" must be a function', { params: 'x' }],
  ])('is checked when it is defined: %s', (message, wrong) => {
    // @ts-expect-error A careless definition.
    const define = () => defineChannel({ ...definition, ...wrong });
    expect(define).toThrow(RequestError);
    expect(define).toThrow(`defineChannel: ${message}`);
  });

  it('must be made by defineChannel', () => {
    const { live } = setup().exchange;
    // @ts-expect-error It was not.
    expect(() => live.channel(definition, ['A'])).toThrow(RequestError);
    // @ts-expect-error Nor was null.
    expect(() => live.channel(null, ['A'])).toThrow(
      'live.channel: channel must be a channel that defineChannel has made',
    );
    expect(() => live.channel(prices, [])).toThrow('live.channel: keys must be an array of at least one string');
  });
});
