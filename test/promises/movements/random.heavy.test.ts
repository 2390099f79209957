// Thousands of movements of money over a network that loses, delays and repeats requests: each report is what the ledger
// of the second exchange says.
import { isExchangeError, type Exchange } from 'exchange-rx';
import { defaultIfEmpty, lastValueFrom, Observable, repeat, retry, takeUntil, timeout, timer } from 'rxjs';
import { expect, it, vi } from 'vitest';
import { RetryBudget } from '../../../src/call/index.js';
import { moneyPaths, movingPaths } from '../../support/foreign-money.js';
import { paths } from '../../support/foreign-exchange.js';
import { changeFault, lookupFault, pick, secondBySecond } from '../orders/random.js';
import { seeded } from '../../live/setup.js';
import { seconds, setup, useFakeTime, type Setup } from '../orders/setup.js';

useFakeTime();

const movements = Number(process.env['MOVEMENTS'] ?? 2000);
const seed = Number(process.env['SEED'] ?? 20_261_128);
const lanes = 40;

/** What a lane moves, again and again. `mark` is in each of its requests, and in no other. */
interface Kind {
  readonly path: string;
  readonly move: (exchange: Exchange, mark: string) => Observable<unknown>;
}

const USDT = { ticker: 'USDT' } as const;
const withdrawal = { ...USDT, amount: '50', address: 'TXaddress', network: 'TRC20' } as const;
const { transfer, withdraw, createCode, confirm, subTransfer } = moneyPaths;
const kinds: readonly Kind[] = [
  { path: transfer, move: ({ account }, amount) => account.transfer({ ...USDT, from: 'main', to: 'spot', amount }) },
  {
    path: transfer,
    move: ({ account }, amount) => account.transfer({ ...USDT, from: 'spot', to: 'collateral', amount }),
  },
  { path: withdraw, move: ({ account }, uniqueId) => account.withdraw({ ...withdrawal, uniqueId }) },
  { path: createCode, move: ({ account }, amount) => account.createCode({ ...USDT, amount }) },
  { path: confirm, move: ({ convert }, quoteId) => convert.confirmQuote({ quoteId }) },
  {
    path: subTransfer,
    move: ({ subAccounts }, amount) => subAccounts.transfer({ ...USDT, id: 'sub-1', direction: 'main_to_sub', amount }),
  },
];
/** Here the mark is a key, which moves money once. */
const hasKey = ({ path }: Kind) => path === withdraw || path === confirm;

const habits: readonly ((moved$: Observable<unknown>) => Observable<unknown>)[] = [
  (moved$) => moved$,
  (moved$) => moved$.pipe(retry(3)),
  (moved$) => moved$.pipe(timeout(700), retry({ count: 20, delay: 500 })),
  (moved$) => moved$.pipe(repeat(2)),
];

type Report = 'done' | 'not executed' | 'unknown' | 'error of another package';

/** The final report: first as people write it, then plainly. */
function reportOf(moved$: Observable<unknown>, random: () => number): Observable<Report> {
  return new Observable((subscriber) => {
    const written = pick(random, habits)(moved$);
    const impatient = random() < 0.25 ? written.pipe(takeUntil(timer(random() * 4000))) : written;
    const end = () => {
      moved$.pipe(retry(1), defaultIfEmpty(undefined)).subscribe({
        next: () => {
          subscriber.next('done');
        },
        error: (error: unknown) => {
          if (!isExchangeError(error)) subscriber.next('error of another package');
          else subscriber.next(error.outcome === 'unknown' ? 'unknown' : 'not executed');
          subscriber.complete();
        },
        complete: () => {
          subscriber.complete();
        },
      });
    };
    impatient.subscribe({ error: end, complete: end });
  });
}

function disturb({ foreign, network }: Setup, random: () => number): void {
  network.chance = (path) => {
    foreign.premises.dateOffsetMs = random() < 0.2 ? undefined : pick(random, [0, -6000, 5000, 3_600_000]);
    foreign.premises.engineDelayMs = random() < 0.1 ? random() * 7500 : 0;
    foreign.money.premises.listedAfterMs = random() * 2000;
    foreign.money.premises.ignoresFilters = random() < 0.3;
    if (movingPaths.includes(path)) return random() < 0.3 ? changeFault(random) : undefined;
    return random() < (path === paths.time ? 0.1 : 0.2) ? lookupFault(random) : undefined;
  };
}

it(`movements at random are never doubled, lost or misreported, SEED=${seed}`, { timeout: 600_000 }, async () => {
  const random = seeded(seed);
  vi.spyOn(RetryBudget.prototype, 'spend').mockReturnValue(true);
  const retries = { random: seeded(seed + 1) };
  const all = setup({ allowWithdrawals: true, timeoutMs: 8000, callTimeoutMs: 120_000, retry: retries });
  const { foreign, exchange } = all;
  foreign.money.premises.names = pick(random, ['camel', 'snake']);
  disturb(all, random);

  const executed = ({ path }: Kind, mark: string) =>
    foreign.money.moved.filter((one) => one.path === path && one.request.includes(JSON.stringify(mark))).length;
  const reports: Report[] = [];
  const wrong: string[] = [];
  const marks: { readonly kind: Kind; readonly mark: string; done: number; unknown: number }[] = [];

  /** Moves money by one mark until its outcome is unknown: then the same values must not be moved again. */
  async function lane(number: number): Promise<void> {
    const kind = kinds[number % kinds.length];
    if (kind === undefined) return;
    let used: (typeof marks)[number] | undefined;
    for (let count = 0; count < movements / lanes; count += 1) {
      if (used === undefined || hasKey(kind) || used.unknown > 0) {
        used = { kind, mark: `${number + 10}${hasKey(kind) ? '' : '.'}${1000 + count}`, done: 0, unknown: 0 };
        marks.push(used);
      }
      const before = executed(kind, used.mark);
      const report = await lastValueFrom(reportOf(kind.move(exchange, used.mark), random));
      const after = executed(kind, used.mark);
      reports.push(report);
      if (report === 'done') used.done += 1;
      if (report === 'unknown') used.unknown += 1;
      if (report === 'done' && after !== before + 1) wrong.push(`${used.mark} done, executed ${after - before} times`);
      if (report === 'not executed' && after !== before) wrong.push(`${used.mark} executed, reported as not executed`);
      if (report === 'error of another package') wrong.push(`${used.mark} ${report}`);
    }
  }

  await secondBySecond(Promise.all(Array.from({ length: lanes }, (_, number) => lane(number))));
  // What is still under way arrives, and is executed.
  await seconds(60);
  for (const { kind, mark, done, unknown } of marks) {
    const count = executed(kind, mark);
    if (count < done || count > done + unknown) wrong.push(`${mark}: ${count} times, reported ${done} and ${unknown}`);
  }

  const counted = (one: Report) => reports.filter((report) => report === one).length;
  console.log(`seed ${seed}:`, {
    movements: reports.length,
    done: counted('done'),
    'not executed': counted('not executed'),
    unknown: counted('unknown'),
    wrong: wrong.length,
  });
  expect(wrong).toEqual([]);
  expect(counted('done')).toBeGreaterThan(reports.length / 2);
  expect(counted('unknown')).toBeLessThan(reports.length / 10);
});
