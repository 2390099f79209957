// The SQL of docs/backtesting.md, on the files of a recording.
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import type { RecordedLine } from '../../src/recording/index.js';
import { blocksOf } from '../support/documents.js';
import { frame, hourMs, newFolder, start, written } from './folders.js';

type Trade = readonly [id: number, afterS: number, price: string, amount: string];

function tradesOf(market: string, ...trades: readonly Trade[]): RecordedLine {
  const list = trades.map(([id, afterS, price, amount]) => ({
    ...{ id, time: start / 1000 + afterS + 0.25, price, amount, type: 'buy', rpi: false },
  }));
  return frame(start, JSON.stringify({ method: 'trades_update', params: [market, list], id: null }));
}

const first: Trade = [1, 10, '60000.10', '0.1'];
const second: Trade = [2, 59, '59999.95', '0.2'];
const third: Trade = [3, 60, '60000', '0.3'];
const longest: Trade = [1, 10, '12345678901234567890.123456789012345678', '0.000000000000000001'];

/** DuckDB writes 18 decimals. */
const plain = (text: string) => text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

it('the SQL of the document makes candles of the trades of all files, each once, without loss of a digit', async () => {
  const folder = newFolder();
  const later = { ...tradesOf('BTC_USDT', second, third), t: start + hourMs };
  written(folder, [
    [
      tradesOf('BTC_USDT', first),
      tradesOf('LONG_USDT', longest),
      frame(start, '{"method":"depth_update","params":[]}'),
    ],
    // A connection begins with trades that another one has pushed before.
    [tradesOf('BTC_USDT', first, second), { t: start, k: 'ping', ms: 5 }, later],
  ]);
  const [{ code } = { code: '' }] = blocksOf('docs/backtesting.md').filter(({ language }) => language === 'sql');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const [view = '', copy = '', candles = ''] = code
    .replaceAll("'recordings/", `'${folder}/`)
    .replaceAll("'trades.parquet'", `'${folder}/trades.parquet'`)
    .split(/;\n/);
  for (const statement of [view, copy]) await connection.run(statement);
  const read = await connection.runAndReadAll(`SELECT * REPLACE (epoch(minute) AS minute) FROM (${candles})`);
  connection.closeSync();
  const rows = read.getRowsJson().map((row) => row.map((value) => (typeof value === 'string' ? plain(value) : value)));
  expect(rows).toEqual([
    ['BTC_USDT', start / 1000, '60000.1', '60000.1', '59999.95', '59999.95', '0.3'],
    ['BTC_USDT', start / 1000 + 60, '60000', '60000', '60000', '60000', '0.3'],
    ['LONG_USDT', start / 1000, ...Array.from({ length: 4 }, () => longest[2]), longest[3]],
  ]);
});
