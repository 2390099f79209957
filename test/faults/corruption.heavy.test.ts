// What the proxy of these tests corrupts cannot become another valid request or response: for each byte, an order is
// reported as the ledger has it.
import { ClientRegistry, createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { audit, learn, uniqueAmount, type Learned, type Reported } from './audit.js';
import { corrupt } from './proxy.js';

const ways = ['request', 'response'] as const;
type Way = (typeof ways)[number];

/** A proxy that corrupts each connection from a place of its request or response on. */
async function corrupting(port: number) {
  const state = { way: 'request' as Way, at: Number.POSITIVE_INFINITY, lengths: { request: 0, response: 0 } };
  const pass = (way: Way, from: Socket, to: Socket) => {
    let passed = 0;
    from.on('data', (piece) => {
      const bytes = Buffer.from(piece);
      if (way === state.way && state.at < Number.POSITIVE_INFINITY) corrupt(bytes, state.at - passed);
      passed += bytes.length;
      state.lengths[way] = Math.max(state.lengths[way], passed);
      to.write(bytes);
    });
    from.on('close', () => to.destroy());
    from.on('error', () => to.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    pass('request', client, upstream);
    pass('response', upstream, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { state, baseUrl: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

it.each(ways)(
  'a %s of which some bytes are corrupted misreports no order, wherever they are',
  async (way) => {
    const sandbox = createSandbox({
      volatility: 0,
      accounts: [{ name: 'main', balances: { trade: { USDT: '100000000000' } } }],
    });
    const server = await sandbox.listen();
    const proxy = await corrupting(server.port);
    try {
      let index = 0;
      const one = (timeoutMs = 500) => {
        // Each has a connection of its own.
        const options = { retry: false, lookupTimeoutMs: 0, timeoutMs, registry: new ClientRegistry() } as const;
        const exchange = createExchange({ ...server.clientOptions(), baseUrl: proxy.baseUrl, ...options });
        index += 1;
        const amount = uniqueAmount(0.001, index, 6);
        return new Promise<Learned>((resolve) => {
          learn(exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount }), amount, resolve);
        });
      };
      const reported: Reported[] = [];
      const keep = ({ reported: one, foreign }: Learned) => {
        expect(foreign).toBeUndefined();
        if (one !== undefined) reported.push(one);
      };
      keep(await one(15_000));
      const [whole] = reported;
      expect(whole?.as).toBe('order');
      proxy.state.way = way;
      const length = proxy.state.lengths[way];
      for (let at = 0; at < length; at += 1) {
        proxy.state.at = at;
        keep(await one());
      }
      expect(reported).toHaveLength(length + 1);
      expect(length).toBeGreaterThan(300);
      expect(audit(sandbox, reported)).toMatchObject({ doubled: 0, lost: 0, misreported: 0 });
      if (way === 'request') expect(sandbox.ledger.orders).toHaveLength(1);
    } finally {
      proxy.close();
      await server.close();
    }
  },
  60_000,
);
