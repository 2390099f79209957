// The time of a run: everything that a program waits for follows the recording, or is listed.
import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  debounceTime,
  defer,
  EMPTY,
  firstValueFrom,
  interval,
  merge,
  mergeMap,
  Observable,
  NEVER,
  retry,
  tap,
  throwError,
  timer,
} from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createExchange, type Exchange } from '../../../src/index.js';
import { createSandbox, type InProcessClientOptions, type RunOptions } from '../../../src/sandbox/index.js';
import { portOf } from '../../support/raw-server.js';
import { book, open, recordingOf, start, stop, trades } from '../../support/recording.js';

const market = 'BTC_USDT';

/** A second of a busy market, every 100 ms another price. */
const second = [
  open(5),
  book(50, 1, [['99', '10']], [['101', '5']]),
  ...Array.from({ length: 10 }, (_, index) => [
    book(100 + index * 100, index + 2, [['99', String(index + 1)]], [], index + 1),
    trades(130 + index * 100, { id: index + 1, price: '99', amount: String(index + 2) }),
  ]).flat(),
  stop(1200),
];

async function runOf(program: (options: InProcessClientOptions) => Observable<unknown>, options: RunOptions = {}) {
  const sandbox = createSandbox({ replay: await recordingOf(second), matching: { latencyMs: 30 } });
  const result = await sandbox.run(program, { drainMs: 100, ...options });
  return { result, sandbox };
}

/** A program of many ways to wait, each of which writes down when it went on. */
async function logOf(options: RunOptions = {}) {
  const log: string[] = [];
  const note = (what: string) => log.push(`${Date.now() - start} ${what}`);
  const noting = <Value>(what: string) => tap<Value>(() => note(what));
  const waiting = async (exchange: Exchange) => {
    await sleep(150);
    note(`slept, ${Math.random()}, ${randomUUID()}`);
    await new Promise((resolve) => {
      AbortSignal.timeout(100).addEventListener('abort', resolve);
    });
    note('signal');
    for (let count = 0; count < 50; count += 1) await Promise.resolve();
    await new Response(JSON.stringify({ a: 1 })).json();
    note(`performance ${Math.round(performance.now())}`);
    await firstValueFrom(exchange.spot.placeLimitOrder({ market, side: 'buy', price: '99', amount: '3' }));
    note('placed');
  };
  let attempts = 0;
  const { result, sandbox } = await runOf(
    (client) => {
      const exchange = createExchange(client);
      return merge(
        exchange.live.orderBook({ market }).pipe(debounceTime(100), noting('quiet')),
        defer(() => (attempts++ < 2 ? throwError(() => new Error('fails')) : EMPTY)).pipe(retry({ delay: 70 })),
        exchange.live.my.executions().pipe(noting('execution')),
        defer(() => waiting(exchange)),
      );
    },
    { ...options, drainMs: 3000 },
  );
  return { log, result, fills: sandbox.ledger.fills };
}

describe('a run', () => {
  it('gives the same ledger and the same times twice', async () => {
    const [one, other] = [await logOf(), await logOf()];
    expect(one.log).toEqual(other.log);
    expect(one.result).toEqual(other.result);
    expect(one.result).toMatchObject({ escapes: [], timersLeft: 0, from: start });
    expect(one.fills.length).toBeGreaterThan(0);
    expect(one.log.filter((line) => line.includes('execution')).length).toBe(one.fills.length);
  });

  it('gives other random values for another seed', async () => {
    const [one, other] = [await logOf(), await logOf({ seed: 5 })];
    expect(one.log.find((line) => line.includes('slept'))).not.toBe(other.log.find((line) => line.includes('slept')));
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
