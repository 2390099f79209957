// `live.channel`: the items of a channel that a program has defined.
import { defer, finalize, merge, type Observable } from 'rxjs';
import { parse, RequestError, unquoted, withMethods } from '../errors/index.js';
import type { LiveGap } from '../model/stream-gap.js';
import type { Connections } from './connections.js';
import type { Channel, KeySubscriptions, LiveItem } from './define-channel.js';
import { keyStream, type KeySource } from './key-stream.js';
import { refusedBy } from './state-stream.js';

const aChannel = withMethods('a channel that defineChannel has made', 'on');
const someTexts = unquoted(
  (value) => Array.isArray(value) && value.length > 0 && value.every((key) => typeof key === 'string'),
  'must be an array of at least one string',
);

/** The items of these keys, in one stream. Throws {@link RequestError} for a channel or keys that cannot be subscribed. */
export function ownChannel<Item>(
  connections: Connections,
  channel: Channel<Item>,
  keys: readonly string[],
  reportGap: (gap: LiveGap) => void,
): Observable<LiveItem<Item>> {
  parse('live.channel', aChannel, channel, 'channel');
  parse('live.channel', someTexts, keys, 'keys');
  const { name } = channel;
  for (const list of channel.keys === 'list' ? [keys] : keys.map((key) => [key])) {
    for (const field of ['params', 'unsubscribeParams'] as const) {
      try {
        channel[field]?.(list);
      } catch (cause) {
        const message = 'must return an array that JSON can hold, and must not throw';
        throw new RequestError('live.channel', [{ field, message }], cause);
      }
    }
  }
  const gapSince = (market: string, reason: LiveGap['reason'], from: number): LiveGap => {
    const gap: LiveGap = {
      ...{ kind: 'gap', channel: name, market, reason, filled: false },
      ...{ from, to: Date.now() / 1000 },
    };
    reportGap(gap);
    return gap;
  };
  const subscriptionsOf = (key: string) =>
    channel.keys === 'connection' ? connections.subscriptionsOfKey(channel, key) : connections.subscriptionsOf(channel);
  const source = { refusedError: refusedBy(name), gapSince };
  const unique = [...new Set(keys)];
  // A conflict with another channel is thrown at once.
  for (const key of unique) subscriptionsOf(key);
  return merge(...unique.map((key) => sharedItems(() => subscriptionsOf(key), source, key)));
}

/** The items of a key. What its subscribers share is released with the last of them, because keys have no bound. */
function sharedItems<Item>(
  subscriptionsOf: () => KeySubscriptions<Item>,
  source: Omit<KeySource<Item>, 'subscriptions'>,
  key: string,
): Observable<LiveItem<Item>> {
  return defer(() => {
    const subscriptions = subscriptionsOf();
    const { itemStreams } = subscriptions;
    const stream = itemStreams.get(key) ?? { items$: keyStream({ subscriptions, ...source }, key), subscribers: 0 };
    itemStreams.set(key, stream);
    stream.subscribers += 1;
    return stream.items$.pipe(
      finalize(() => {
        stream.subscribers -= 1;
        if (stream.subscribers === 0) itemStreams.delete(key);
      }),
    );
  });
}
