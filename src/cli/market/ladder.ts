// A live order book as a ladder: asks above, bids below, the last price between them, and bars of the amounts from the
// best price on. On a wide terminal, bids beside asks, and the latest trades. Keys choose levels and grouping, and hold
// the picture.
import type { LiveOpenOrders, LiveOrderBook, LiveTradeItem } from '../../live/index.js';
import { decimal, formatDecimal } from '../../model/decimal.js';
import {
  displayWidth,
  formatAge,
  formatAmount,
  formatColumns,
  formatTime,
  join,
  text,
  type Colors,
  type SafeText,
  type TextPart,
} from '../terminal/index.js';
import { decimalsOf, levelsOf, padded, type BookLevels, type Level, type LevelsView } from './book-levels.js';
import { changeText, type TickerRow } from './ticker-view.js';

export interface LadderView extends LevelsView {
  /** Since when the picture is held, Unix milliseconds. */
  readonly heldSince?: number;
}

export interface LadderContent {
  readonly book: LiveOrderBook;
  readonly ticker: TickerRow | undefined;
  readonly trades: readonly LiveTradeItem[];
  /** The open orders of the account; `undefined` without credentials, and before they are known. */
  readonly own: OwnOrders;
}

type OwnOrders = LiveOpenOrders | undefined;

export const ladderKeys = text`q quit  + - levels  g group  space hold`;
/** Trades that the widest ladder shows: a line for each level. */
export const maxTrades = 100;
const maxGroup = 3;
const levelCounts = [1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 100];

export function afterKey(view: LadderView, key: string, now: number): LadderView {
  const { heldSince, ...rest } = view;
  switch (key) {
    case '+':
      return { ...view, levels: levelCounts.find((count) => count > view.levels) ?? view.levels };
    case '-':
      return { ...view, levels: levelCounts.findLast((count) => count < view.levels) ?? view.levels };
    case 'g':
      return { ...view, group: (view.group + 1) % (maxGroup + 1) };
    case ' ':
      return heldSince === undefined ? { ...view, heldSince: now } : rest;
    default:
      return view;
  }
}

const narrowColumns = 80;
const wideColumns = 120;

export function ladder(
  content: LadderContent,
  view: LadderView,
  now: number,
  colors: Colors,
  columns = narrowColumns,
): SafeText {
  const { book, own } = content;
  const levels = levelsOf(book, own, view);
  const last = lastPrice(content, levels.decimals);
  const table =
    columns < wideColumns
      ? fitted(columns, 40, (width) => oneAboveOther(levels, last, own, colors, width))
      : fitted(columns, 14, (width) => oneBesideOther(levels, content, colors, width));
  const isTrue = book.status === 'live' && view.heldSince === undefined;
  return join(
    [
      headOf(content, last, view, now, colors, { columns, decimals: levels.decimals }),
      isTrue ? table : colors.dim(table),
    ],
    '\n',
  );
}

/** The table with bars of this width, or shorter ones where its figures need the columns. */
function fitted(columns: number, barWidth: number, tableOf: (barWidth: number) => SafeText): SafeText {
  const table = tableOf(barWidth);
  const fits = table.value.split('\n').every((line) => displayWidth(line) <= columns);
  return fits || barWidth === 0 ? table : fitted(columns, barWidth - 1, tableOf);
}

function oneAboveOther(
  { asks, bids }: BookLevels,
  last: string | undefined,
  own: OwnOrders,
  colors: Colors,
  width: number,
): SafeText {
  const ownHead = ownHeadOf(own, colors);
  const hasArrow = last?.includes(' ') === true;
  const rowOf =
    (paint: Colors['red']) =>
    ({ price, amount, sum, own: mine, share }: Level): TextPart[] => [
      hasArrow ? text`${formatAmount(price)}  ` : formatAmount(price),
      ...[amount, sum, ...ownHead.map(() => mine)].map((one) => formatAmount(one)),
      paint(barOf(share, width)),
    ];
  const rows = [
    ...asks.map(rowOf(colors.red)).reverse(),
    [last ?? '–', '', '', ...ownHead.map(() => ''), '─'.repeat(width)],
    ...bids.map(rowOf(colors.green)),
  ];
  const isRight = [true, true, true, ...ownHead.map(() => true), false];
  return formatColumns([hasArrow ? text`price  ` : 'price', 'amount', 'sum', ...ownHead, ''], rows, isRight);
}

function oneBesideOther(
  { asks, bids, decimals }: BookLevels,
  { trades, own }: LadderContent,
  colors: Colors,
  width: number,
): SafeText {
  const ownHead = ownHeadOf(own, colors);
  const cellsOf = (level: Level | undefined, paint: Colors['red'], bar = barOf): TextPart[] => {
    const { price = '', amount = '', sum = '', own: mine = '', share = 0 } = level ?? {};
    const numbers = [price, ...ownHead.map(() => mine), amount, sum].map((one) => formatAmount(one));
    return [...numbers.map((one, index) => (index === 0 ? paint(one) : one)), paint(bar(share, width))];
  };
  const tradeRows = tradeRowsOf(trades, decimals, colors);
  const rows = Array.from({ length: Math.max(asks.length, bids.length) }, (_, index): TextPart[] => [
    ...cellsOf(bids[index], colors.green, barBackwards).reverse(),
    ...cellsOf(asks[index], colors.red),
    ...(tradeRows[index] ?? []),
  ]);
  const sideHead = ['price', ...ownHead, 'amount', 'sum', ''];
  const head = [...sideHead.with(0, 'bid').reverse(), ...sideHead.with(0, 'ask'), 'trade', 'price', 'amount'];
  return formatColumns(
    head,
    rows,
    head.map((_, index) => index !== 2 * sideHead.length - 1 && index !== 2 * sideHead.length),
  );
}

function ownHeadOf(own: OwnOrders, { yellow }: Colors): TextPart[] {
  if (own === undefined) return [];
  return [own.status === 'live' ? 'own' : yellow('own (stale)')];
}

function tradeRowsOf(items: readonly LiveTradeItem[], decimals: number, { red, green, yellow }: Colors): TextPart[][] {
  const trades = items.flatMap((item) => (item.kind === 'trade' ? [item.trade] : []));
  const amountDecimals = decimalsOf(trades.map(({ amount }) => amount));
  return items.map((item) => {
    if (item.kind === 'gap') return [clockTime(item.to), yellow('gap'), item.filled ? 'filled in' : 'some missing'];
    const { price, amount, time } = item.trade;
    const arrow = arrowAt(trades, trades.indexOf(item.trade));
    const written = text`${formatAmount(padded(price, decimals))} ${arrow === '' ? text` ` : arrow}`;
    const painted = arrow === '↑' ? green(written) : arrow === '↓' ? red(written) : written;
    return [clockTime(time), painted, formatAmount(padded(amount, amountDecimals))];
  });
}

function arrowAt(trades: readonly { readonly price: string }[], index: number): '↑' | '↓' | '' {
  const price = Number(trades[index]?.price);
  const before = trades.slice(index + 1).find((trade) => Number(trade.price) !== price);
  return before === undefined ? '' : price > Number(before.price) ? '↑' : '↓';
}

/** The last price, with its direction; `undefined` while it is not known to be the last one. */
function lastPrice({ ticker, trades }: LadderContent, decimals: number): string | undefined {
  const [latest] = trades;
  if (ticker?.status === 'stale' || (latest === undefined && ticker?.last === undefined)) return undefined;
  if (latest?.kind === 'gap') return undefined;
  const price = latest?.trade.price ?? ticker?.last ?? '';
  const arrow = arrowAt(
    trades.flatMap((item) => (item.kind === 'trade' ? [item.trade] : [])),
    0,
  );
  return [formatAmount(padded(price, decimals)), arrow].join(' ').trimEnd();
}

function headOf(
  { book, ticker }: LadderContent,
  last: string | undefined,
  { group, heldSince }: LadderView,
  now: number,
  colors: Colors,
  { columns, decimals }: { readonly columns: number; readonly decimals: number },
): SafeText {
  const [[bid] = [], [ask] = []] = [book.bids[0], book.asks[0]];
  const spread =
    bid === undefined || ask === undefined
      ? '–'
      : formatAmount(padded(formatDecimal(decimal(ask).minus(bid)), decimals));
  const left = join(
    [
      book.market,
      ...(last === undefined
        ? staleLast(ticker, colors)
        : [last, ...(ticker === undefined ? [] : [changeText(ticker, colors)])]),
      text`spread ${spread}`,
      ...(group === 0 ? [] : [text`grouped x${10 ** group}`]),
    ],
    '  ',
  );
  const status = statusOf(book, heldSince, now, colors);
  const space = Math.max(2, columns - displayWidth(left.value) - displayWidth(status.value));
  return join([left, status], ' '.repeat(space));
}

function staleLast(ticker: TickerRow | undefined, { yellow }: Colors): SafeText[] {
  return ticker?.last === undefined ? [] : [yellow(text`${formatAmount(ticker.last)} (stale)`)];
}

function statusOf(book: LiveOrderBook, heldSince: number | undefined, now: number, colors: Colors): SafeText {
  if (heldSince !== undefined) return colors.yellow(text`HELD ${clock(now - heldSince)}`);
  if (book.status === 'stale') return colors.yellow(text`STALE ${clock(now - book.since)}`);
  return colors.green(text`live ${(Math.max(0, now - book.receivedAt) / 1000).toFixed(1)} s`);
}

function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds >= 3600) return formatAge(seconds);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function clockTime(seconds: number): string {
  return /T(\d\d:\d\d:\d\d)/.exec(formatTime(seconds))?.[1] ?? '–';
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

function barOf(share: number, width: number): string {
  const units = Math.round(share * width * 8);
  return '█'.repeat(Math.floor(units / 8)) + (eighths[units % 8] ?? '');
}

/** The same from right to left, in halves: no smaller part of a character has its right side filled. */
function barBackwards(share: number, width: number): string {
  const halves = Math.round(share * width * 2);
  return '▐'.repeat(halves % 2) + '█'.repeat(Math.floor(halves / 2));
}
