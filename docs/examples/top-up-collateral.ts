// Tops up collateral when margin falls: transfers from main what the equity lacks, at most a budget a day. Everything is
// read from the exchange, so a restart forgets nothing. A transfer of unknown outcome stops the program for a human.
import { createExchange, isExchangeError } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, concatMap, EMPTY, forkJoin, map, reduce, repeat, take, tap, timer, type Observable } from 'rxjs';

const sandbox = createSandbox({
  volatility: 0,
  accounts: [{ name: 'main', balances: { main: { USDT: '5000' }, collateral: { USDT: '1500' } } }],
});
const { EXCHANGE_BASE_URL: baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret } = process.env;
const isDemonstration = baseUrl === undefined || apiKey === undefined || apiSecret === undefined;
const exchange = createExchange(isDemonstration ? sandbox.clientOptions() : { baseUrl, credentials: { apiKey, apiSecret } });

const ticker = 'USDT';
const floor = 2; // equity below this multiple of the margin in use is topped up
const goal = 3; // to this one
const dailyBudget = 1000;
const pauseMs = 3000; // a transfer is queued for up to 2 s: the next look sees it
const lateMs = 10_000; // the request of a killed program is executed within 8 s, and queued for up to 2 s

// What was topped up since midnight (UTC), also by the program before a restart.
const toppedUp = (): Observable<number> => {
  const midnight = Math.floor(Date.now() / 86_400_000) * 86_400;
  return exchange.account.listAllTransfers({ from_balance: 'main', to_balance: 'collateral', maxItems: 1000 }).pipe(
    map(({ currency, amount, created_at = Infinity }) => (currency === ticker && created_at >= midnight ? Number(amount) : 0)),
    reduce((sum, amount) => sum + amount, 0),
  );
};

const reads$ = forkJoin([exchange.collateral.summary(), exchange.account.mainBalanceOf({ ticker }), toppedUp()]).pipe(
  catchError((error: unknown) => {
    if (!isExchangeError(error)) throw error;
    console.error('not read, looks again:', error.message);
    return EMPTY;
  }),
);

const topUp$ = reads$.pipe(
  concatMap(([{ equity, margin = '0' }, { main_balance }, spent]) => {
    if (Number(equity) >= floor * Number(margin)) return EMPTY;
    const missing = goal * Number(margin) - Number(equity);
    const amount = Math.floor(Math.min(missing, Number(main_balance), dailyBudget - spent));
    if (amount < 1) throw new Error(`equity lacks ${missing} ${ticker}, and nothing is left to top it up`);
    return exchange.account
      .transfer({ from: 'main', to: 'collateral', ticker, amount })
      .pipe(map(() => `topped up ${amount} ${ticker}: equity was ${equity}, margin ${margin}`));
  }),
);

// The first look sees what was sent before a restart, each later one what the look before it sent.
timer(lateMs)
  .pipe(
    concatMap(() => topUp$.pipe(repeat({ delay: pauseMs }))),
    take(isDemonstration ? 1 : Infinity),
    tap((result) => console.log(result)),
  )
  .subscribe({
    error: (error: unknown) => {
      const isInDoubt = isExchangeError(error) && error.outcome === 'unknown';
      console.error(isInDoubt ? 'stopped: compare account.transferHistory.' : 'stopped:', error);
      process.exitCode = 1;
    },
  });

if (isDemonstration)
  exchange.collateral
    .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.1', price: '61000' })
    .subscribe(() => sandbox.market('BTC_USDT').setPrice('55000'));
