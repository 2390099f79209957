// What keys leave behind when their last subscriber has gone: a program may use any number of them.
import { defineChannel, type ChannelDefinition } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../support/collect-garbage.js';
import { onFakeTime, seconds, setup } from './setup.js';

function definition(keys: ChannelDefinition<string>['keys']): ChannelDefinition<string> {
  return {
    ...{ name: 'prices', keys, update: 'prices_update' },
    ...{ subscribe: 'prices_subscribe', unsubscribe: 'prices_unsubscribe' },
    read: (params) => (Array.isArray(params) ? [{ key: String(params[0]), item: String(params[1]) }] : undefined),
  };
}

/** What the heap grows by, bytes a key, while keys come and go. */
async function growthOf(keys: ChannelDefinition<string>['keys'], hasOther: boolean): Promise<number> {
  const { server, exchange } = setup();
  const channel = defineChannel(definition(keys));
  if (hasOther) exchange.live.lastPrice({ markets: ['BTC_USDT'] }).subscribe();
  const use = async (from: number, to: number) => {
    for (let key = from; key < to; key += 1) {
      const subscription = exchange.live.channel(channel, [`K${key}_USDT`]).subscribe();
      await seconds(0.5);
      subscription.unsubscribe();
      await seconds(2);
      server.requests.length = 0;
      server.connections.splice(0, server.connections.length - 1);
    }
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await use(0, 500);
  return ((await use(500, 4500)) - before) / 4000;
}

describe('keys of a channel of your own', () => {
  onFakeTime();

  it.each([
    ['list', false],
    ['each', false],
    ['each', true],
    ['connection', false],
  ] as const)(
    'leave nothing when their subscribers have gone (%s, beside another channel: %s)',
    async (keys, hasOther) => {
      // Measurements differ by up to 250 bytes; a stream that is left has more than 1,000.
      expect(await growthOf(keys, hasOther)).toBeLessThan(500);
    },
  );

  it('are shared again by subscribers that come after all have left, or retry', async () => {
    const { server, exchange } = setup();
    const items$ = exchange.live.channel(defineChannel(definition('connection')), ['A']);
    const seen: string[] = [];
    const listen = (name: string) =>
      items$.subscribe((item) => seen.push(`${name} ${item.kind === 'item' ? item.item : item.reason}`));
    listen('first').unsubscribe();
    const second = listen('second');
    await seconds(1);
    second.unsubscribe();
    const third = listen('third');
    listen('fourth');
    await seconds(1);
    server.last.push('prices_update', ['A', 1]);
    await seconds(1);
    third.unsubscribe();
    server.last.push('prices_update', ['A', 2]);
    await seconds(1);
    expect(seen).toEqual(['third 1', 'fourth 1', 'fourth 2']);
    expect(server.maxOpen).toBe(1);
  });

  it('keep the bound on their connections, however often they come and go', async () => {
    const { server, exchange } = setup();
    const channel = defineChannel(definition('connection'));
    for (let round = 0; round < 40; round += 1) {
      for (const key of ['A', 'B']) {
        const subscription = exchange.live.channel(channel, [key]).subscribe();
        await seconds(0.1);
        subscription.unsubscribe();
      }
      // Many other keys, which nobody needs any more.
      for (let key = 0; key < 20; key += 1) exchange.live.channel(channel, [`${round} ${key}`]);
    }
    expect(server.connections.length).toBeLessThanOrEqual(2 * (10 + 8 / 2));
  });
});
