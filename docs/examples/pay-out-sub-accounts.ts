// Pays out sub-accounts from the main balance, each payment once, whenever the program is killed: a journal on disk has each
// payment before it is sent. A payment of unknown outcome stops the program for a human.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { concatMap, EMPTY, first, map, of, repeat, tap, type Observable } from 'rxjs';

const { EXCHANGE_BASE_URL: baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret } = process.env;
const exchange = createExchange(
  baseUrl !== undefined && apiKey !== undefined && apiSecret !== undefined
    ? { baseUrl, credentials: { apiKey, apiSecret } }
    : createSandbox().clientOptions(),
);
const ticker = 'USDT';
const startedAt = Date.now();
const lateMs = 30_000; // no request of a killed program is executed later

// By the alias of the sub-account. One file of payments has one journal: `payouts-2026-11.jsonl`.
const payments = new Map([
  ['trading_bot_1', '150.25'],
  ['trading_bot_2', '80'],
  ['trading_bot_3', '42'],
]);

interface Line {
  readonly alias: string;
  readonly state: 'paying' | 'paid';
  readonly at?: number; // before the request, by the exchange's clock, Unix seconds
}

const file = process.argv[2] ?? 'payouts.jsonl';
const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(isWhole) : [];
const known = new Map(lines.map((line) => JSON.parse(line) as Line).map((line) => [line.alias, line]));

// The line that a kill has cut off was followed by no request.
function isWhole(line: string): boolean {
  return line.endsWith('}');
}

function record(line: Line): void {
  appendFileSync(file, `\n${JSON.stringify(line)}`, { flush: true });
}

// Whether a payment of a killed program was executed.
const isListed = (id: string, amount: string, { at = 0 }: Line): Observable<boolean> =>
  exchange.subAccounts.transferHistory({ id, direction: 'main_to_sub', limit: 100 }).pipe(
    map(({ data }) => data.filter((one) => one.currency === ticker && Number(one.amount) === Number(amount))),
    map((transfers) => transfers.some(({ createdAt = Infinity }) => createdAt >= at - 5)),
    repeat({ delay: 1000 }),
    first((isFound) => isFound || Date.now() > startedAt + lateMs),
  );

const send = (id: string, alias: string, amount: string): Observable<string> =>
  exchange.public.serverTime().pipe(
    concatMap(({ time }) => {
      record({ alias, state: 'paying', at: time });
      return exchange.subAccounts.transfer({ id, direction: 'main_to_sub', ticker, amount });
    }),
    map(() => 'paid'),
  );

const pay = (id: string, alias: string, amount: string): Observable<string> => {
  const line = known.get(alias);
  if (line?.state === 'paid') return of('was paid before');
  if (line === undefined) return send(id, alias, amount);
  return isListed(id, amount, line).pipe(
    concatMap((isFound) => (isFound ? of('was paid before') : send(id, alias, amount))),
  );
};

exchange.subAccounts
  .listAll()
  .pipe(
    // One after another: an error ends the program before the next payment.
    concatMap(({ id, alias = '' }) => {
      const amount = payments.get(alias);
      if (amount === undefined) return EMPTY;
      return pay(id, alias, amount).pipe(
        tap((result) => {
          record({ alias, state: 'paid' });
          payments.delete(alias);
          console.log(alias, result, amount, ticker);
        }),
      );
    }),
  )
  .subscribe({
    error: (error: unknown) => stop('compare the transfers of the sub-account, then run the program again:', error),
    complete: () => {
      if (payments.size > 0) stop('without a sub-account:', ...payments.keys());
    },
  });

function stop(...reasons: readonly unknown[]): void {
  console.error('stopped:', ...reasons);
  process.exitCode = 1;
}
