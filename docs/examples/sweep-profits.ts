// Sweeps profits: transfers what exceeds the trading capital from spot to main, and withdraws it to a cold address of a
// list in the code. A journal on disk makes each step happen once, whenever the program is killed.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { concatMap, defer, filter, first, forkJoin, map, repeat, tap, type Observable } from 'rxjs';

const { EXCHANGE_BASE_URL: baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret } = process.env;
const exchange = createExchange({
  ...(baseUrl !== undefined && apiKey !== undefined && apiSecret !== undefined
    ? { baseUrl, credentials: { apiKey, apiSecret } }
    : createSandbox({ accounts: [{ name: 'main', balances: { trade: { USDT: '10500.75' } } }] }).clientOptions()),
  allowWithdrawals: true,
});
const ticker = 'USDT';
// Money goes nowhere else. The address list of the account at the exchange should have no other address, either.
const coldAddress = { network: 'TRC20', address: 'TColdWalletOfTheCompany1111111111' };
const capital = 10_000; // stays on spot
const minProfit = 100; // less is not worth the fee
const lateMs = 30_000; // no request of a killed program is executed later

interface Sweep {
  readonly step: 'transfer' | 'withdrawal';
  readonly uniqueId: string;
  readonly amount: string;
  readonly startedAt: number; // by the exchange's clock, Unix seconds
}

const file = process.argv[2] ?? 'sweep.json';
const pending = (): Sweep | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Sweep) : undefined;

// On disk before the request is sent, as a whole or not at all.
function record(sweep: Sweep): void {
  writeFileSync(`${file}.new`, JSON.stringify(sweep), { flush: true });
  renameSync(`${file}.new`, file);
}

// Whether the transfer was executed: it is listed some 2 s later, or never.
const isListed = ({ amount, startedAt }: Sweep): Observable<boolean> =>
  defer(() => {
    const end = Date.now() + lateMs;
    return exchange.account.transferHistory({ from_balance: 'spot', to_balance: 'main', limit: 100 }).pipe(
      map(({ data }) => data.filter((one) => one.currency === ticker && Number(one.amount) === Number(amount))),
      map((transfers) => transfers.some(({ created_at = 0 }) => created_at >= startedAt - 5)),
      repeat({ delay: 500 }),
      first((isFound) => isFound || Date.now() > end),
    );
  });

// The same call with the same uniqueId and values is the same withdrawal, also after a restart.
const withdraw = (sweep: Sweep): Observable<string> =>
  defer(() => {
    record({ ...sweep, step: 'withdrawal' });
    const { uniqueId, amount } = sweep;
    return exchange.account.withdraw({ ticker, amount, uniqueId, ...coldAddress });
  }).pipe(
    tap(() => rmSync(file)),
    map(() => `${sweep.amount} ${ticker} on the way to ${coldAddress.address}`),
  );

const transfer = (sweep: Sweep): Observable<string> =>
  defer(() => {
    record(sweep);
    return exchange.account.transfer({ from: 'spot', to: 'main', ticker, amount: sweep.amount });
  }).pipe(
    concatMap(() => isListed(sweep)),
    concatMap((isFound) => {
      if (!isFound) throw new Error('the transfer was accepted, and is not listed');
      return withdraw(sweep);
    }),
  );

const sweep$ = forkJoin([exchange.spot.balanceOf({ ticker }), exchange.public.serverTime()]).pipe(
  map(([{ available }, { time }]) => ({ profit: Math.floor(Number(available)) - capital, startedAt: time })),
  filter(({ profit }) => profit >= minProfit),
  map(({ profit, startedAt }) => ({ uniqueId: `sweep-${Date.now()}`, amount: `${profit}`, startedAt })),
  concatMap((sweep) => transfer({ step: 'transfer', ...sweep })),
);

// What a killed program left is finished first. A transfer that is not listed was never executed: a later one of the same
// amount must not be taken for it.
const resume = (sweep: Sweep): Observable<string> =>
  sweep.step === 'withdrawal'
    ? withdraw(sweep)
    : isListed(sweep).pipe(
        tap((isFound) => isFound || rmSync(file)),
        concatMap((isFound) => (isFound ? withdraw(sweep) : sweep$)),
      );

defer(() => {
  const sweep = pending();
  return sweep === undefined ? sweep$ : resume(sweep);
}).subscribe({
  next: (result) => console.log(result),
  error: (error: unknown) => {
    // A refused or unknown step stays in the journal: compare the histories of the account, then run the program again.
    console.error('stopped:', error);
    process.exitCode = 1;
  },
});
