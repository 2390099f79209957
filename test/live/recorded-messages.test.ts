// The recorded message of every channel, through the public interface: a new channel needs no other test of its own.
import { describe, expect, it } from 'vitest';
import { messageSetup, recordedAt, recordedMessages } from './recorded.js';
import { ms, onFakeTime } from './setup.js';

/** Members of `exchange.live` that are no channel. */
const others = ['my', 'my.follow', 'tapped', 'tryNow'];

describe('the recorded message of', () => {
  onFakeTime(recordedAt);

  it('each channel exists, and of nothing else', () => {
    const { live } = messageSetup().exchange;
    const members = [
      ...Object.entries(live),
      ...Object.entries(live.my).map(([name, member]) => [`my.${name}`, member] as const),
    ].flatMap(([name, member]) => (typeof member === 'function' ? [name] : []));
    const streams = recordedMessages.map(([, { stream }]) => stream);
    expect([...new Set(streams)].sort()).toEqual(members.filter((name) => !others.includes(name)).sort());
  });

  it.each(recordedMessages)('%s is emitted after the subscription that was recorded', async (name, message) => {
    const { errors, seen, connection } = messageSetup().watch(message);
    await ms(2500);
    const { method, params } = message.request;
    const requests = connection().requests.filter((request) => request.method === method);
    expect(requests.map((request) => request.params)).toEqual([params]);
    seen.length = 0;
    connection().push(message.push.method, message.push.params);
    await ms(500);
    expect(seen).toEqual(message.emits);
    expect(errors).toEqual([]);
    expect(name.startsWith(message.stream)).toBe(true);
  });
});
