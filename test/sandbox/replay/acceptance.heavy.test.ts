// The same programs on an exchange, on paper, and on a recording of the same minutes, in fake time.
import { transformSync } from 'esbuild';
import * as sdk from 'exchange-rx';
import { openRecording, record, type Recording } from 'exchange-rx/recording';
import { createSandbox, type InProcessClientOptions, type Ledger, type Sandbox } from 'exchange-rx/sandbox';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { compileFunction } from 'node:vm';
import * as rxjs from 'rxjs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { decimal } from '../../../src/model/decimal.js';
import { report } from '../../soak/report.js';
import { textOf } from '../../support/documents.js';
import { folderOfTests } from '../../support/folders.js';

const { createExchange } = sdk;
const market = 'BTC_USDT';
const markets = [market, 'BTC_PERP'];
const latencyMs = 45;
/** An hour by `npm run soak:paper`, which takes some minutes. */
const { MARKET_SECONDS } = process.env;
const seconds = Number(MARKET_SECONDS ?? 18);
vi.setConfig({ testTimeout: 60_000 + seconds * 1000, hookTimeout: 60_000 + seconds * 1000 });

/** An example of the documents as it is written; its exchange is the given one. What it prints, and its exit code. */
function run(file: string, options: InProcessClientOptions, setPrice: (price: string) => void) {
  const code = transformSync(textOf(`docs/examples/${file}`), { loader: 'ts', format: 'cjs' }).code;
  const sandbox = { clientOptions: () => options, market: () => ({ setPrice }) };
  const modules: Readonly<Record<string, object>> = {
    'exchange-rx': sdk,
    'exchange-rx/sandbox': { createSandbox: () => sandbox },
    rxjs,
  };
  const printed: string[] = [];
  const print = (...words: readonly unknown[]) => printed.push(words.join(' '));
  const own = { exitCode: undefined };
  const program = compileFunction(code, ['require', 'console', 'process']) as (...own: readonly unknown[]) => void;
  program((name: string) => modules[name], { log: print, warn: print, error: print }, own);
  return { printed, process: own };
}

/** Takes, rests and cancels, each time that a book has a number of these: so it does the same whenever it starts. */
function scripted(options: InProcessClientOptions, isIn: (updateId: number) => boolean): rxjs.Observable<unknown> {
  const { live, orders, spot } = createExchange(options);
  const done = new Set<number>();
  return live.orderBook({ market }).pipe(
    rxjs.filter(({ status, updateId }) => status === 'live' && isIn(updateId) && !done.has(updateId)),
    rxjs.mergeMap(({ updateId, bids: [bid], asks: [ask] }) => {
      done.add(updateId);
      // All levels change at once.
      const number = Math.floor(updateId / 120);
      if (bid === undefined || ask === undefined || number % 3 > 0) return rxjs.EMPTY;
      const side = number % 2 === 0 ? 'buy' : 'sell';
      const takes = number % 9 === 0;
      const price = (side === 'buy') === takes ? ask[0] : bid[0];
      const order = { market, side, amount: '0.02', price, client_order_id: `script-${updateId}` } as const;
      const placed$ = spot.placeLimitOrder({ ...order, ...(takes ? { ioc: true } : {}) });
      const isKept = takes || number % 4 > 0;
      if (isKept) return placed$;
      const cancel$ = rxjs.defer(() => orders.cancel({ market, client_order_id: order.client_order_id }));
      return placed$.pipe(rxjs.delay(700), rxjs.concatWith(cancel$.pipe(rxjs.catchError(() => rxjs.EMPTY))));
    }),
  );
}

/** The fills of each scripted order: when, since its entry, and how much at which price. */
function fillsOf({ fills, orders }: Ledger) {
  return orders.map(({ client_order_id, order_id }) => {
    const own = fills.filter((fill) => fill.order_id === order_id);
    return {
      ...{ id: client_order_id, at: own.map(({ at }) => at) },
      fills: own.map(({ role, price, amount, fee }) => `${role} ${amount} at ${price}, fee ${fee}`),
    };
  });
}

/** What the fills of an account come to: zero when each of the spot market is hedged on the perpetual. */
function positionOf({ fills }: Ledger, account: string) {
  return fills
    .filter((fill) => fill.account === account)
    .reduce((sum, { side, amount }) => (side === 'buy' ? sum.plus(amount) : sum.minus(amount)), decimal(0));
}

/** Both examples on a sandbox. */
function examples(sandbox: Sandbox, setPrice: (price: string) => void) {
  return {
    bot: run('bot.ts', sandbox.clientOptions('bot'), setPrice),
    maker: run('live-market-maker.ts', sandbox.clientOptions('maker'), setPrice),
  };
}

describe('the minutes of a market', () => {
  const folder = folderOfTests();
  const accounts = [{ name: 'bot' }, { name: 'maker' }];
  let papers: Readonly<Record<'script' | 'examples', Sandbox>>;
  let recording: Recording;
  let onPaper: ReturnType<typeof examples>;
  let [first, last] = [Infinity, 0];

  beforeAll(async () => {
    vi.useFakeTimers({
      now: Date.UTC(2026, 10, 28, 12),
      toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date', 'performance'],
    });
    const source = createSandbox({ volatility: 0.0001, markets: markets.map((name) => ({ name, price: '60000' })) });
    const exchange = createExchange(source.clientOptions());
    const until = new rxjs.Subject<void>();
    const recorder = { isOpen: false };
    const recording$ = record(exchange, { markets, to: folder, until });
    const recorded = rxjs.lastValueFrom(recording$.pipe(rxjs.tap(() => (recorder.isOpen = true))));
    // It waits for the disk: no time passes meanwhile, so that each run records the same minutes.
    while (!recorder.isOpen) {
      await sleep(5);
      await vi.advanceTimersByTimeAsync(0);
    }
    const paper = () =>
      createSandbox({
        follow: exchange,
        markets: markets.map((name) => ({ name })),
        matching: { latencyMs },
        accounts,
      });
    // Programs in one sandbox would take from each other.
    papers = { script: paper(), examples: paper() };
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 10) {
        await vi.advanceTimersByTimeAsync(10);
        await turn();
      }
    };
    await pass(2000);
    const script = scripted(papers.script.clientOptions(), (updateId) => {
      [first, last] = [Math.min(first, updateId), Math.max(last, updateId)];
      return true;
    }).subscribe();
    onPaper = examples(papers.examples, (price) => {
      source.market(market).setPrice(price);
    });
    await pass(seconds * 1000);
    script.unsubscribe();
    await pass(1000);
    until.next();
    await pass(1000);
    await recorded;
    await Promise.all([papers.script.close(), papers.examples.close()]);
    vi.useRealTimers();
    recording = await openRecording(folder);
  });
  const replay = async (program: (options: InProcessClientOptions) => rxjs.Observable<unknown>) => {
    const sandbox = createSandbox({ replay: recording, matching: { latencyMs } });
    return { sandbox, result: await sandbox.run(program, { strict: true }) };
  };

  it('give a script the same fills on paper and twice on their recording', async () => {
    const program = (options: InProcessClientOptions) => scripted(options, (id) => id >= first && id <= last);
    const [one, other] = [await replay(program), await replay(program)];
    expect(one.result).toEqual(other.result);
    const [paper, replayed] = [fillsOf(papers.script.ledger), fillsOf(one.sandbox.ledger)];
    const withoutTimes = (list: ReturnType<typeof fillsOf>) => list.map(({ id, fills }) => ({ id, fills }));
    expect(withoutTimes(paper)).toEqual(withoutTimes(replayed));
    expect(paper.filter(({ fills }) => fills.length > 0).length).toBeGreaterThan(10);
    const roles = paper.flatMap(({ fills }) => fills.map((fill) => fill.split(' ')[0]));
    expect(new Set(roles)).toEqual(new Set(['maker', 'taker']));
    const delays = paper.flatMap(({ at }, index) =>
      at.map((time, fill) => Math.abs(time - (replayed[index]?.at[fill] ?? 0))),
    );
    expect(Math.max(...delays)).toBeLessThan(latencyMs);
    if (MARKET_SECONDS === undefined) return;
    report(
      `A market on paper and in two replays, ${seconds} s`,
      ['', ''],
      [
        ['lines of the recording', `${recording.lines}`],
        ['orders of the script', `${paper.length}`],
        ['fills on paper, the same in both replays', `${roles.length}`],
        ['largest difference of their times, ms', Math.max(...delays).toFixed(0)],
        ['ledger hash of both replays', one.result.ledgerHash.slice(0, 16)],
      ],
    );
  });

  it('let the bot of README and the market maker of the recipes run as they are written', async () => {
    let replayed: ReturnType<typeof examples> | undefined;
    const sandbox = createSandbox({ replay: recording, matching: { latencyMs }, accounts });
    await sandbox.run(() => {
      replayed = examples(sandbox, () => undefined);
      return rxjs.NEVER;
    });
    for (const [programs, { ledger }] of [
      [onPaper, papers.examples],
      [replayed, sandbox],
    ] as const) {
      expect(programs?.bot.printed.join('\n')).toMatch(/^((buy|sell) 0(\.\d+)? at \S+\n?){5}$/);
      expect(programs?.maker.printed).not.toEqual([]);
      expect(programs?.maker.printed.filter((line) => !line.includes(', hedged by a '))).toEqual([]);
      expect([programs?.bot.process.exitCode, programs?.maker.process.exitCode]).toEqual([undefined, undefined]);
      expect(positionOf(ledger, 'maker').toFixed()).toBe('0');
      expect(ledger.orders.filter(({ status }) => status === 'OPEN')).toEqual([]);
    }
  });
});
