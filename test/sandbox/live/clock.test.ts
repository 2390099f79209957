// Messages follow the sandbox's clock: each at its own time, in order, however far the clock is advanced at once.
import { describe, expect, it } from 'vitest';
import { doorNames, doors } from './doors.js';

const market = 'BTC_USDT';
const start = Date.UTC(2026, 0, 1) / 1000;

describe.each(doorNames)('a manual clock %s', (door) => {
  /** The messages of a connection that is subscribed to these channels, after these advances. */
  const messages = async (channels: Readonly<Record<string, readonly unknown[]>>, advances: readonly number[]) => {
    const { sandbox, connect } = await doors[door]({ volatility: 0.001 });
    const client = await connect();
    for (const [channel, params] of Object.entries(channels))
      client.send({ id: 1, method: `${channel}_subscribe`, params });
    await client.rest();
    for (const ms of advances) sandbox.clock.advance(ms);
    return client.rest();
  };
  const depth = { depth: [market, 5, '0', true] };

  it('sends nothing while it stands still', async () => {
    expect(await messages({ ...depth, market: [market], candles: [market, 60] }, [0])).toEqual([]);
  });

  it('sends each message at its own time', async () => {
    const times = (await messages(depth, [3000])).map(({ params }) => (params[1] as { event_time: number }).event_time);
    // The price moves every 250 ms; the changes come with the next 100 ms.
    expect(times).toEqual([0.3, 0.5, 0.8, 1, 1.3, 1.5, 1.8, 2, 2.3, 2.5, 2.8, 3].map((time) => start + time));
  });

  it('sends the same messages in one advance as in many', async () => {
    const channels = { ...depth, trades: [market], market: [market], bookTicker: [], lastprice: [market] };
    const [once, often] = [await messages(channels, [5000]), await messages(channels, Array<number>(100).fill(50))];
    expect(once.length).toBeGreaterThan(50);
    expect(often).toEqual(once);
  });
});

it('trades between two messages all come, although a changed list replays only 100 of them', async () => {
  const { sandbox, connect } = await doors['in process']();
  const client = await connect();
  client.send({ id: 1, method: 'trades_subscribe', params: [market] });
  await client.rest();
  for (let count = 0; count < 150; count += 1) sandbox.market(market).setPrice(String(60_001 + count));
  client.send({ id: 1, method: 'trades_subscribe', params: [market, 'ETH_USDT'] });
  sandbox.clock.advance(100);
  const pushes = (await client.rest()).filter(({ method }) => method !== undefined);
  const trades = pushes.flatMap(({ params }) => (params[0] === market ? (params[1] as { id: number }[]) : []));
  const ids = new Set(trades.map(({ id }) => id));
  const made = sandbox.market(market).trades().slice(-150);
  expect(made.filter(({ id }) => !ids.has(id))).toEqual([]);
});
