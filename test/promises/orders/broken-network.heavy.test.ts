// Orders over real sockets, through a network that cuts, stalls and corrupts, to an exchange behind a proxy that replays
// and an engine that is late.
import { ClientRegistry, createExchange, type Exchange } from 'exchange-rx';
import { lastValueFrom, mergeMap, range, toArray } from 'rxjs';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { RetryBudget } from '../../../src/call/index.js';
import { createForeignExchange, foreignKey, orderPaths } from '../../support/foreign-exchange.js';
import { createForeignNetwork } from '../../support/foreign-network.js';
import { portOf } from '../../support/raw-server.js';
import { seeded } from '../../live/setup.js';
import { follow, mistakes, stockMarket, type Report } from './setup.js';

const ways = ['request', 'response'] as const;
type Way = (typeof ways)[number];

/** A proxy that hands the pieces of each way of a connection to its own function. Returns its address. */
async function openProxy(port: number, passing: (way: Way, from: Socket, to: Socket) => (bytes: Buffer) => void) {
  const pass = (way: Way, from: Socket, to: Socket) => {
    const onBytes = passing(way, from, to);
    from.on('data', (piece) => {
      onBytes(Buffer.from(piece));
    });
    from.on('close', () => to.destroy());
    from.on('error', () => to.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) socket.setNoDelay(true);
    pass('request', client, upstream);
    pass('response', upstream, client);
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}

/**
 * Corrupts some bytes from a place on. No JSON and no header has such bytes: what is corrupted is seen to be, and no
 * number becomes another one, as the second test shows for each byte.
 */
function corrupt(bytes: Buffer, at: number): void {
  bytes.subarray(Math.max(at, 0), Math.max(at + corruptedBytes, 0)).fill(0x01);
}

/** How many bytes are corrupted at a time, at most. */
const corruptedBytes = 8;

/** Cuts, stalls or corrupts 4 % of the pieces, each way. */
async function breaking(port: number, random: () => number) {
  const done = { cut: 0, stalled: 0, corrupted: 0 };
  const baseUrl = await openProxy(port, (_way, from, to) => {
    let before = Promise.resolve();
    return (bytes) => {
      const fate = random() < 0.04 ? random() : 1;
      before = before.then(async () => {
        if (fate < 0.4) {
          done.cut += 1;
          to.write(bytes.subarray(0, Math.floor(bytes.length * random())));
          from.destroy();
          to.destroy();
          return;
        }
        if (fate < 0.7) {
          done.stalled += 1;
          await sleep(random() * 4000);
        } else if (fate < 1) {
          done.corrupted += 1;
          corrupt(bytes, Math.floor(bytes.length * random()));
        }
        if (!to.destroyed) to.write(bytes);
      });
    };
  });
  return { baseUrl, done };
}

const seed = Number(process.env['SEED'] ?? 20_261_121);
const orders = Math.min(2000, Number(process.env['ORDERS'] ?? 2000));

const placed = (exchange: Exchange, id: string) =>
  new Promise<{ readonly id: string; readonly report: Report }>((resolve) => {
    follow(stockMarket.place(exchange, id), (report) => {
      resolve({ id, report });
    });
  });

it(`a network that cuts, stalls, corrupts and replays doubles, loses and misreports none of ${orders} orders (SEED=${seed} replays its choices)`, async () => {
  const random = seeded(seed);
  const foreign = createForeignExchange({ historyLagMs: 200 });
  const network = createForeignNetwork(foreign);
  network.chance = (path) => {
    foreign.premises.engineDelayMs = random() < 0.01 ? random() * 2000 : 0;
    foreign.premises.fields = random() < 0.01 ? 'null' : 'usual';
    return orderPaths.includes(path) && random() < 0.02 ? { kind: 'replayed', afterMs: random() * 1000 } : undefined;
  };
  const server = await network.listen();
  onTestFinished(() => server.close());
  const proxy = await breaking(Number(new URL(server.baseUrl).port), random);
  const options = { timeoutMs: 2500, maxInFlight: 64, settleMs: 3000 } as const;
  vi.spyOn(RetryBudget.prototype, 'spend').mockReturnValue(true);
  const exchange = createExchange({ baseUrl: proxy.baseUrl, credentials: foreignKey, ...options });
  const all = await lastValueFrom(
    range(0, orders).pipe(
      mergeMap((number) => placed(exchange, `order-${number}`), 64),
      toArray(),
    ),
  );
  await sleep(5000);
  console.log(`seed ${seed}:`, proxy.done, all.filter(({ report }) => report.as === 'unknown').length, 'unknown');
  expect(all.flatMap(({ id, report }) => mistakes(foreign, id, report).map((mistake) => `${id} ${mistake}`))).toEqual(
    [],
  );
  expect(proxy.done.cut + proxy.done.corrupted).toBeGreaterThan(orders / 20);
}, 300_000);

/** Corrupts each connection from a place of its request or response on. */
async function corrupting(port: number) {
  const state = { way: 'request' as Way, at: Number.POSITIVE_INFINITY, lengths: { request: 0, response: 0 } };
  const baseUrl = await openProxy(port, (way, _from, to) => {
    let passed = 0;
    return (bytes) => {
      if (way === state.way && state.at < Number.POSITIVE_INFINITY) corrupt(bytes, state.at - passed);
      passed += bytes.length;
      state.lengths[way] = Math.max(state.lengths[way], passed);
      to.write(bytes);
    };
  });
  return { state, baseUrl };
}

it.each(ways)('a %s of which some bytes are corrupted misreports no order, wherever they are', async (way) => {
  const foreign = createForeignExchange();
  const server = await createForeignNetwork(foreign, 0).listen();
  onTestFinished(() => server.close());
  const proxy = await corrupting(Number(new URL(server.baseUrl).port));
  // Each has a connection of its own.
  const one = async (id: string, timeoutMs = 500) => {
    const options = { retry: false, lookupTimeoutMs: 0, timeoutMs, registry: new ClientRegistry() } as const;
    const client = createExchange({ baseUrl: proxy.baseUrl, credentials: foreignKey, ...options });
    const { report } = await placed(client, id);
    expect(mistakes(foreign, id, report)).toEqual([]);
    return report.as;
  };
  expect(await one('whole', 15_000)).toBe('placed');
  proxy.state.way = way;
  const length = proxy.state.lengths[way];
  expect(length).toBeGreaterThan(300);
  for (let at = 0; at < length; at += 1) {
    proxy.state.at = at;
    await one(`corrupted-${at}`);
  }
  if (way === 'request') expect(foreign.executions).toHaveLength(1);
});
