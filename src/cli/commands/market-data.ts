// `exchange-rx tickers`, `book` and `candles`: market data as it is now. `watch` follows it.
import { Command, Option } from 'commander';
import { concatMap, from, map } from 'rxjs';
import { candleIntervals, type Candle, type CandleInterval } from '../../model/candle.js';
import type { Ticker } from '../../endpoints/public/index.js';
import { UsageError } from '../exit-codes.js';
import { printList } from '../list.js';
import { integerBetween, oneOf, sinceOption } from '../option-parsers.js';
import { bookTable } from '../market/book-view.js';
import type { Runner } from '../runner.js';
import { formatTime, text, type Column } from '../terminal/index.js';

interface TickerLine extends Ticker {
  readonly market: string;
}

const tickerColumns: readonly Column<TickerLine>[] = [
  { head: 'market', cell: ({ market }) => market },
  { head: 'last', cell: ({ last_price }) => last_price, right: true },
  {
    head: '24 h',
    cell: ({ change }) => (change === undefined ? undefined : `${change.startsWith('-') ? '' : '+'}${change} %`),
    right: true,
  },
  { head: 'volume', cell: ({ base_volume }) => base_volume, right: true, rank: 1 },
  { head: 'total', cell: ({ quote_volume }) => quote_volume, right: true, rank: 2 },
];

export function tickersCommand({ run }: Runner): Command {
  return new Command('tickers')
    .description('list last prices and the activity of the last 24 hours')
    .argument('[markets...]', 'list only these markets, such as BTC_USDT')
    .addHelpText('after', '\nExamples:\n  $ exchange-rx tickers BTC_USDT ETH_USDT')
    .action((markets: string[], _options: object, command: Command) =>
      run(command, (context) => {
        const rows$ = context.exchange.public.tickers().pipe(
          concatMap((tickers) => {
            const unlisted = markets.filter((market) => !Object.hasOwn(tickers, market));
            if (unlisted.length > 0) throw new UsageError(`unknown market ${unlisted.join(', ')}`);
            const all = Object.entries(tickers).map(([market, ticker]) => ({ market, ...ticker }));
            return from(markets.length === 0 ? all : all.filter(({ market }) => markets.includes(market)));
          }),
        );
        return printList(context, rows$, tickerColumns, { empty: text`No market has a ticker.` });
      }),
    );
}

export function bookCommand({ run }: Runner): Command {
  return new Command('book')
    .description('show the best levels of an order book')
    .argument('<market>', 'the market, such as BTC_USDT')
    .addOption(
      new Option('--levels <count>', 'levels of each side, 1 to 100').argParser(integerBetween(1, 100)).default(10),
    )
    .addHelpText('after', '\nExamples:\n  $ exchange-rx book BTC_USDT --json | jq -r .bids[0][0]')
    .action((market: string, { levels }: { levels: number }, command: Command) =>
      run(command, ({ exchange, terminal }) =>
        exchange.public
          .orderBook({ market, limit: levels })
          .pipe(map((book) => ({ text: bookTable(book, terminal.colors, levels), data: book }))),
      ),
    );
}

const candleColumns: readonly Column<Candle>[] = [
  { head: 'time', cell: ({ time }) => formatTime(time).replace('.000Z', 'Z') },
  { head: 'open', cell: ({ open }) => open, right: true },
  { head: 'high', cell: ({ high }) => high, right: true },
  { head: 'low', cell: ({ low }) => low, right: true },
  { head: 'close', cell: ({ close }) => close, right: true },
  { head: 'volume', cell: ({ volume }) => volume, right: true, rank: 1 },
  { head: 'total', cell: ({ money_volume }) => money_volume, right: true, rank: 2 },
];

export function candlesCommand({ run }: Runner): Command {
  return new Command('candles')
    .description('list the candles of a market')
    .argument('<market>', 'the market, such as BTC_USDT')
    .addOption(
      new Option('--interval <interval>', candleIntervals.join(', ')).argParser(oneOf(candleIntervals)).default('1h'),
    )
    .addOption(sinceOption())
    .addOption(
      new Option('--limit <count>', 'maximum number of candles, 1 to 1440')
        .argParser(integerBetween(1, 1440))
        .default(24),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ exchange-rx candles BTC_USDT --interval 1m --limit 60 --json | jq -r .close',
    )
    .action(
      (
        market: string,
        { interval, limit, since }: { interval: CandleInterval; limit: number; since?: number },
        command: Command,
      ) =>
        run(command, (context) => {
          const start = since === undefined ? {} : { start: since };
          const candles$ = context.exchange.public.candles({ market, interval, limit, ...start });
          return printList(context, candles$.pipe(concatMap((candles) => from(candles))), candleColumns, {
            empty: text`${market} has no candle.`,
          });
        }),
    );
}
