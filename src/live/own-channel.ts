// `live.channel`: the items of a channel that a program has defined.
import { merge, type Observable } from 'rxjs';
import { checkArgument, checkByRules, tryOr, withMethods, type Rule } from '../errors/index.js';
import type { LiveGap } from '../model/stream-gap.js';
import type { Connections } from './connections.js';
import type { Channel, LiveItem } from './define-channel.js';
import { keyStream } from './key-stream.js';
import { refusedBy } from './state-stream.js';

const someTexts: Rule = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((key) => typeof key === 'string')
    ? undefined
    : 'must be an array of at least one string';
const rules = { channel: withMethods('a channel that defineChannel has made', 'on'), keys: someTexts };
const aList: Rule = (value) =>
  Array.isArray(value) ? undefined : 'must return an array that JSON can hold, and must not throw';

/** The items of these keys, in one stream. Throws {@link RequestError} for a channel or keys that cannot be subscribed. */
export function ownChannel<Item>(
  connections: Connections,
  channel: Channel<Item>,
  keys: readonly string[],
  reportGap: (gap: LiveGap) => void,
): Observable<LiveItem<Item>> {
  checkByRules('live.channel', { channel, keys }, rules, ['channel', 'keys']);
  const { name, isPrivate = false } = channel;
  for (const list of channel.keys === 'list' ? [keys] : keys.map((key) => [key])) {
    for (const field of ['params', 'unsubscribeParams'] as const) {
      checkArgument(
        'live.channel',
        field,
        tryOr(() => channel[field]?.(list), undefined),
        aList,
      );
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
  const streams = [...new Set(keys)].map((key) => {
    const own = channel.keys === 'connection' ? { name: `${name} ${key}`, isPrivate } : undefined;
    const subscriptions = connections.subscriptionsOf(channel, own);
    const known = subscriptions.itemStreams.get(key);
    if (known !== undefined) return known;
    const made = keyStream({ subscriptions, refusedError: refusedBy(name), gapSince }, key);
    subscriptions.itemStreams.set(key, made);
    return made;
  });
  return merge(...streams);
}
