// The time of a run: everything that a program waits for follows the recording, or is listed.
import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  debounceTime,
  defer,
  exhaustMap,
  filter,
  interval,
  merge,
  mergeMap,
  Observable,
  NEVER,
  repeat,
  retry,
  takeUntil,
  tap,
  throttleTime,
  throwError,
  timer,
} from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createExchange } from '../../../src/index.js';
import { createSandbox, type InProcessClientOptions, type RunOptions } from '../../../src/sandbox/index.js';
import { portOf } from '../../support/raw-server.js';
import { book, lost, open, recordingOf, start, stop, trades } from '../../support/recording.js';

const market = 'BTC_USDT';

/** A second of a busy market, every 100 ms another price, with a lost connection. */
const second = [
  open(5),
  book(50, 1, [['99', '10']], [['101', '5']]),
  ...Array.from({ length: 10 }, (_, index) => [
    book(100 + index * 100, index + 2, [['99', String(index + 1)]], [], index + 1),
    trades(130 + index * 100, { id: index + 1, price: '99', amount: String(index + 2) }),
  ]).flat(),
  ...[lost(640), open(660), book(680, 7, [['99', '6']], [['101', '5']])],
  stop(1200),
].toSorted((one, other) => one.t - other.t);

async function runOf(program: (options: InProcessClientOptions) => Observable<unknown>, options: RunOptions = {}) {
  const sandbox = createSandbox({ replay: await recordingOf(second), matching: { latencyMs: 30 } });
  const result = await sandbox.run(program, { drainMs: 100, ...options });
  return { result, sandbox };
}

/** A program of many ways to wait and to trade, at random times and prices, which writes down when each went on. */
async function logOf(seed: number) {
  const log: string[] = [];
  const note = (what: string) => log.push(`${Date.now() - start} ${what}`);
  const noting = <Value>(what: string) => tap<Value>(() => note(what));
  const randomMs = () => 50 + Math.round(Math.random() * 250);
  const waiting = async () => {
    await sleep(randomMs());
    note(`slept, ${Math.random()}, ${randomUUID()}`);
    await new Promise((resolve) => {
      AbortSignal.timeout(100).addEventListener('abort', resolve);
    });
    note('signal');
    for (let count = 0; count < 50; count += 1) await Promise.resolve();
    await new Response(JSON.stringify({ a: 1 })).json();
    note(`performance ${Math.round(performance.now())}`);
  };
  let attempts = 0;
  const { result, sandbox } = await runOf(
    (client) => {
      const { live, orders, spot } = createExchange(client);
      const amount = (0.1 + Math.random()).toFixed(3);
      const place = (side: 'buy' | 'sell', options: { readonly ioc?: boolean; readonly postOnly?: boolean } = {}) =>
        defer(() => {
          const price = String(98 + Math.round(Math.random() * 4));
          return spot.placeLimitOrder({ market, side, amount, price, ...options });
        }).pipe(noting('placed'));
      const ways: readonly Observable<unknown>[] = [
        live.orderBook({ market }).pipe(
          filter(({ status }) => status === 'live'),
          debounceTime(randomMs()),
          noting('quiet'),
          mergeMap(() => place('buy', { postOnly: true })),
        ),
        live.trades({ markets: [market] }).pipe(
          throttleTime(randomMs()),
          mergeMap(() => spot.placeStockMarketOrder({ market, side: 'sell', amount })),
        ),
        live.my.executions().pipe(
          debounceTime(randomMs()),
          exhaustMap(() => orders.cancelAll({ market })),
        ),
        interval(randomMs()).pipe(exhaustMap(() => place('buy', { ioc: true }))),
        timer(randomMs()).pipe(mergeMap(() => orders.setKillSwitch({ market, timeout: 5 }))),
        defer(() => (attempts++ % 3 < 2 ? throwError(() => new Error('fails')) : place('buy'))).pipe(
          retry({ delay: randomMs() }),
          repeat({ delay: randomMs() }),
        ),
        defer(waiting).pipe(mergeMap(() => place('sell'))),
      ];
      return merge(
        NEVER,
        live.my.executions().pipe(
          filter(({ kind }) => kind === 'execution'),
          noting('execution'),
        ),
        // Orders are rejected while the market is closed, and post-only ones that would take.
        ...ways.map((way) => way.pipe(retry({ delay: 20 }), takeUntil(timer(3000)))),
      );
    },
    { seed, drainMs: 6000 },
  );
  return { log, result, fills: sandbox.ledger.fills };
}

describe('a run', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('of random programs gives the same ledger and the same times in two time zones, and others for another seed', async () => {
    const logs = new Set<string>();
    for (const seed of [1, 2, 3]) {
      vi.stubEnv('TZ', 'UTC');
      const one = await logOf(seed);
      vi.stubEnv('TZ', 'Asia/Kathmandu');
      expect(new Date().getTimezoneOffset()).toBe(-345);
      expect(await logOf(seed)).toEqual(one);
      expect(one.result).toMatchObject({ escapes: [], timersLeft: 0, from: start });
      expect(one.fills.length).toBeGreaterThan(0);
      expect(one.log.filter((line) => line.includes('execution')).length).toBe(one.fills.length);
      logs.add(one.result.ledgerHash).add(one.log.find((line) => line.includes('slept')) ?? '');
    }
    expect(logs.size).toBe(2 * 3);
  });

  it('has the time of the recording, and restores the real one', async () => {
    const globals = () => {
      const timeout: unknown = Reflect.get(AbortSignal, 'timeout');
      return { setTimeout, now: Date.now, random: Math.random, timeout };
    };
    const before = globals();
    const times: number[] = [];
    await runOf(() => timer(250).pipe(tap(() => times.push(Date.now() - start))));
    expect(times).toEqual([250]);
    expect(globals()).toEqual(before);
    expect(Date.now()).toBeGreaterThan(0);
    const slept = performance.now();
    await sleep(5);
    expect(performance.now() - slept).toBeGreaterThan(3);
  });

  it('has the time of lines that are months apart', async () => {
    const monthsMs = 60 * 86_400_000;
    const replay = await recordingOf([...second, stop(monthsMs)]);
    const times: number[] = [];
    const program = () =>
      timer(3_000_000).pipe(
        tap(() => times.push(Date.now() - start)),
        mergeMap(() => NEVER),
      );
    const { to } = await createSandbox({ replay }).run(program, { drainMs: 100 });
    expect([times, to]).toEqual([[3_000_000], start + monthsMs + 100]);
  });

  it('ends with the program, and fails with it', async () => {
    const { result } = await runOf(() => timer(300));
    expect(result.to).toBe(start + 300);
    expect(result.lines).toBeLessThan(second.length);
    const failing = runOf(() => timer(300).pipe(mergeMap(() => throwError(() => new Error('the program failed')))));
    await expect(failing).rejects.toThrow('the program failed');
    const throwing = runOf(() => {
      throw new Error('no program');
    });
    await expect(throwing).rejects.toThrow('no program');
    await runOf(() => NEVER);
  });

  it('lists what does not follow its time, and fails of it when it is strict', async () => {
    const port = await portOf(createServer());
    const connecting = () =>
      new Observable(() => {
        const socket = connect(port, '127.0.0.1');
        return () => socket.destroy();
      });
    const { result } = await runOf(connecting);
    expect(result.escapes).toContain('TCPSocketWrap');
    await expect(runOf(connecting, { strict: true })).rejects.toThrow('did not follow the time of the run');
  });

  it('does not list the files of the recording', async () => {
    const replay = await recordingOf(second);
    const once = () => createSandbox({ replay }).run(() => interval(7), { drainMs: 100, strict: true });
    expect([(await once()).escapes, (await once()).escapes]).toEqual([[], []]);
  });

  it('counts the timers that a program leaves', async () => {
    const { result } = await runOf(() => {
      setTimeout(() => undefined, 60_000);
      return NEVER;
    });
    expect(result.timersLeft).toBe(1);
  });
});
