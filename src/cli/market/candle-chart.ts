// A candle chart of characters, one column for each candle. Rising and falling candles differ without colors, too.
import type { Candle } from '../../model/candle.js';
import { join, text, type Colors, type SafeText } from '../terminal/index.js';

const body = { rising: '█', falling: '▒', flat: '━' } as const;
const wick = '│';
/** Width of the prices beside the chart. */
const labelColumns = 10;

/** The candles from left to right, oldest first, and the prices of the highest and the lowest row. */
export function candleChart(candles: readonly Candle[], rows: number, colors: Colors): SafeText {
  const high = Math.max(...candles.map((candle) => Number(candle.high)));
  const low = Math.min(...candles.map((candle) => Number(candle.low)));
  if (candles.length === 0 || rows < 2) return text`no candles yet`;
  const rowOf = (price: string) =>
    high === low ? 0 : Math.round(((high - Number(price)) / (high - low)) * (rows - 1));
  const lines = Array.from({ length: rows }, (_, row) => {
    const price = row === 0 ? high : row === rows - 1 ? low : undefined;
    return join([label(price), ...candles.map((candle) => cell(candle, row, rowOf, colors))], ' ');
  });
  return join(lines, '\n');
}

/** The newest `count` candles, oldest first. A candle replaces the one of its time: the current one comes several times. */
export function withCandle<Shown extends Candle>(
  candles: readonly Shown[],
  candle: Shown,
  count: number,
): readonly Shown[] {
  const others = candles.filter(({ time }) => time !== candle.time);
  return [...others, candle].sort((one, other) => one.time - other.time).slice(-count);
}

function cell(candle: Candle, row: number, rowOf: (price: string) => number, { red, green }: Colors): SafeText {
  const [open, close] = [rowOf(candle.open), rowOf(candle.close)];
  const change = Number(candle.close) - Number(candle.open);
  const paint = change < 0 ? red : green;
  if (row >= Math.min(open, close) && row <= Math.max(open, close))
    return paint(text`${change === 0 ? body.flat : change < 0 ? body.falling : body.rising}`);
  const isWick = row >= rowOf(candle.high) && row <= rowOf(candle.low);
  return isWick ? paint(text`${wick}`) : blank;
}

/** A safe text of its own, because a lone space of the exchange would be escaped. */
const blank = text` `;

function label(price: number | undefined): SafeText {
  const written = price === undefined ? '' : price.toFixed(2).slice(0, labelColumns);
  return join([...Array.from({ length: labelColumns - written.length }, () => blank), written], '');
}
