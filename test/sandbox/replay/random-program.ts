// A program of many ways to wait and to trade, on a recorded second of a busy market.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  debounceTime,
  defer,
  exhaustMap,
  filter,
  interval,
  merge,
  mergeMap,
  NEVER,
  repeat,
  retry,
  takeUntil,
  tap,
  throttleTime,
  throwError,
  timer,
  type Observable,
} from 'rxjs';
import { createExchange } from '../../../src/index.js';
import { createSandbox, type InProcessClientOptions, type RunOptions } from '../../../src/sandbox/index.js';
import { book, lost, open, recordingOf, start, stop, trades } from '../../support/recording.js';

const market = 'BTC_USDT';

/** A second in which price and amount of the best bid change every 100 ms, with a lost connection. */
export const second = [
  open(5),
  book(50, 1, [['99', '10']], [['101', '5']]),
  ...Array.from({ length: 10 }, (_, index) => [
    book(
      100 + index * 100,
      index + 2,
      [
        ['98', String(index + 1)],
        ['99', index % 3 === 0 ? '0' : String(index + 1)],
      ],
      [],
      index + 1,
    ),
    trades(130 + index * 100, { id: index + 1, price: '99', amount: String(index + 2) }),
  ]).flat(),
  ...[lost(640), open(660), book(680, 7, [['99', '6']], [['101', '5']])],
  stop(1200),
].toSorted((one, other) => one.t - other.t);

export async function runOf(
  program: (options: InProcessClientOptions) => Observable<unknown>,
  options: RunOptions = {},
) {
  const sandbox = createSandbox({ replay: await recordingOf(second), matching: { latencyMs: 30 } });
  const result = await sandbox.run(program, { drainMs: 100, ...options });
  return { result, sandbox };
}

/** Runs the program, at random times and prices, which writes down when each way went on. */
export async function logOf(seed: number) {
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
