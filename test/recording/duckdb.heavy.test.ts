// The SQL of docs/backtesting.md, on a recording.
import { DuckDBInstance } from '@duckdb/node-api';
import { BigNumber } from 'bignumber.js';
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { interval, lastValueFrom, switchMap, timer } from 'rxjs';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { openRecording, readRecording, record } from '../../src/recording/index.js';
import { blocksOf } from '../support/documents.js';
import { newFolder } from './folders.js';

interface Trade {
  readonly id: number;
  readonly time: number;
  readonly price: string;
  readonly amount: string;
}

const candleRows = v.array(
  v.object({
    ...{ market: v.string(), minute: v.string() },
    ...{ open: v.string(), high: v.string(), low: v.string(), close: v.string(), volume: v.string() },
  }),
);

it('the SQL of the document makes candles of all recorded trades, each counted once, to the last digit', async () => {
  const folder = newFolder();
  const sandbox = createSandbox({ history: 1 });
  const exchange = createExchange({ ...sandbox.clientOptions(), warnings: false });
  const buy = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
  const trading = interval(100)
    .pipe(switchMap(() => exchange.spot.placeStockMarketOrder(buy)))
    .subscribe();
  // A cut connection begins again with trades that were pushed before.
  setTimeout(() => {
    sandbox.liveFault({ kind: 'cut' });
  }, 1500);
  await lastValueFrom(record(exchange, { markets: ['BTC_USDT', 'ETH_USDT'], to: folder, until: timer(4000) }));
  trading.unsubscribe();

  const trades = new Map<string, Trade & { readonly market: string }>();
  let received = 0;
  for await (const line of readRecording(await openRecording(folder))) {
    if (line.k !== 'frame' || line.d?.includes('"trades_update"') !== true) continue;
    const { params } = JSON.parse(line.d) as { readonly params: readonly [string, readonly Trade[]] };
    const [market, list] = params;
    received += list.length;
    for (const trade of list) trades.set(`${market} ${trade.id}`, { ...trade, market });
  }
  expect(trades.size).toBeGreaterThan(100);
  expect(received).toBeGreaterThan(trades.size);
  const candles = new Map<string, string[]>();
  for (const { market, time, price, amount } of [...trades.values()].toSorted((one, other) => one.id - other.id)) {
    const key = `${market} ${Math.floor(time / 60)}`;
    const [open = price, high = price, low = price, , volume = '0'] = candles.get(key) ?? [];
    const total = BigNumber(volume).plus(amount).toFixed();
    candles.set(key, [open, BigNumber.max(high, price).toFixed(), BigNumber.min(low, price).toFixed(), price, total]);
  }

  const [{ code } = { code: '' }] = blocksOf('docs/backtesting.md').filter(({ language }) => language === 'sql');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const statements = code
    .replaceAll("'recordings/", `'${folder}/`)
    .replaceAll("'trades.parquet'", `'${folder}/trades.parquet'`)
    .split(/;\n/);
  for (const statement of statements.slice(0, -2)) await connection.run(statement);
  const read = await connection.runAndReadAll(statements.at(-2) ?? '');
  const rows = v.parse(candleRows, read.getRowObjectsJson()).map(({ market, minute, ...numbers }) => {
    const plain = Object.values(numbers).map((number) => BigNumber(number).toFixed());
    return [`${market} ${Date.parse(minute) / 60_000}`, plain] as const;
  });
  const plain = [...candles].map(
    ([key, numbers]) => [key, numbers.map((number) => BigNumber(number).toFixed())] as const,
  );
  expect(new Map(rows)).toEqual(new Map(plain));
  connection.closeSync();
}, 60_000);
