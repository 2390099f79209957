// `exchange-rx watch`: order book, trades and prices of the live connection, as they change.
import { Command, Option } from 'commander';
import {
  auditTime,
  catchError,
  combineLatest,
  distinctUntilChanged,
  filter,
  ignoreElements,
  map,
  merge,
  NEVER,
  of,
  scan,
  share,
  startWith,
  takeUntil,
  tap,
  timer,
  type Observable,
} from 'rxjs';
import { depthLimits, type LiveConnectionEvent, type LiveTradeItem } from '../../live/index.js';
import { bookLine } from '../market/book-view.js';
import { afterKey, ladder, ladderKeys, maxTrades, type LadderContent, type LadderView } from '../market/ladder.js';
import { connectionText } from '../market/live-status.js';
import { tickerLine, tickerRows, tickerTable, type TickerRow } from '../market/ticker-view.js';
import { tradeLine } from '../market/trade-line.js';
import { oneOf } from '../option-parsers.js';
import type { Runner, VerbContext } from '../runner.js';
import { join, text, type Output, type SafeText } from '../terminal/index.js';

type Levels = (typeof depthLimits)[number];

const drawEveryMs = 100;

const help = `
On a terminal, book and ticker are drawn in place. Elsewhere, each change is a line.
Keys of the book: q quit, + - levels, g group, space hold.

Examples:
  $ exchange-rx watch book BTC_USDT --sandbox
  $ exchange-rx watch trades BTC_USDT ETH_USDT
  $ exchange-rx watch ticker BTC_USDT --json | jq -r .last`;

export function watchCommand(runner: Runner): Command {
  return new Command('watch')
    .description('show live market data until Ctrl-C')
    .option('--live-url <url>', 'address of the live connection, such as wss://exchange.example/ws')
    .addHelpText('after', help)
    .addCommand(bookCommand(runner))
    .addCommand(tradesCommand(runner))
    .addCommand(tickerCommand(runner));
}

function bookCommand({ run }: Runner): Command {
  return new Command('book')
    .description('the best levels of an order book, with sums and bars')
    .argument('<market>', 'the market, such as BTC_USDT')
    .addOption(
      new Option('--levels <count>', `levels of each side: ${depthLimits.join(', ')}`)
        .argParser(oneOf(depthLimits))
        .default(5),
    )
    .action((market: string, { levels }: { levels: Levels }, command: Command) =>
      run(command, (context) => {
        if (isDrawn(context)) return drawnLadder(context, market, levels);
        const book$ = context.exchange.live.orderBook({ market, limit: levels });
        return printed(
          context,
          changes(context, book$, (book) => bookLine(book, context.terminal.colors)),
        );
      }),
    );
}

function drawnLadder(context: VerbContext, market: string, levels: number): Observable<never> {
  const { exchange, terminal } = context;
  const { live } = exchange;
  // Without a limit: keys may ask for more levels, and groups are made of more.
  const content$: Observable<LadderContent> = combineLatest({
    book: live.orderBook({ market, everyMs: drawEveryMs }),
    ticker: tickerRows(live, market).pipe(startWith(undefined)),
    trades: live.trades({ markets: [market] }).pipe(
      scan((latest: readonly LiveTradeItem[], item) => [item, ...latest].slice(0, maxTrades), []),
      startWith([]),
    ),
    // Without credentials, the book has no orders of one's own; a refused account leaves the market as it is.
    own: context.hasCredentials
      ? live.my.openOrders({ markets: [market] }).pipe(
          startWith(undefined),
          catchError(() => of(undefined)),
        )
      : of(undefined),
  });
  const initial: LadderView = { levels, group: 0 };
  const pressed$ = (terminal.keys$ ?? NEVER).pipe(share());
  const view$ = pressed$.pipe(
    scan((view, key) => afterKey(view, key, Date.now()), initial),
    startWith(initial),
  );
  const screens$ = combineLatest([content$, view$, timer(0, 1000)]).pipe(
    scan(
      (held: { content: LadderContent; view: LadderView } | undefined, [content, view]) => ({
        content: held !== undefined && view.heldSince !== undefined ? held.content : content,
        view,
      }),
      undefined,
    ),
    filter((shown) => shown !== undefined),
    // One picture of trades that come at once.
    auditTime(0),
    map(({ content, view }) => ladder(content, view, Date.now(), terminal.colors, terminal.columns())),
  );
  return drawn(context, screens$, terminal.keys$ && ladderKeys).pipe(
    takeUntil(pressed$.pipe(filter((key) => key === 'q'))),
  );
}

function tradesCommand({ run }: Runner): Command {
  return marketsCommand('trades', 'every trade, one line each, and a line wherever trades may be missing').action(
    (markets: string[], _options: object, command: Command) =>
      run(command, (context) => {
        const { colors } = context.terminal;
        const items$ = context.exchange.live.trades({ markets });
        return printed(context, items$.pipe(map((item) => ({ text: tradeLine(item, colors), data: item }))));
      }),
  );
}

function tickerCommand({ run }: Runner): Command {
  return marketsCommand('ticker', 'last price, best bid and ask, and the last 24 hours').action(
    (markets: string[], _options: object, command: Command) =>
      run(command, (context) => {
        const { exchange, terminal } = context;
        const { colors } = terminal;
        const unique = [...new Set(markets)];
        const rows = unique.map((market) => tickerRows(exchange.live, market));
        if (!isDrawn(context)) {
          const lines = rows.map((row$) => changes(context, row$, (row) => tickerLine(row, colors)));
          return printed(context, merge(...lines));
        }
        const tables$ = merge(...rows).pipe(
          scan((known, row) => new Map(known).set(row.market, row), new Map<string, TickerRow>()),
          map((known) =>
            tickerTable(
              unique.flatMap((market) => known.get(market) ?? []),
              colors,
            ),
          ),
        );
        return drawn(context, tables$);
      }),
  );
}

function marketsCommand(name: string, description: string): Command {
  return new Command(name).description(description).argument('<markets...>', 'the markets, such as BTC_USDT');
}

function isDrawn({ terminal, json }: VerbContext): boolean {
  return !json && terminal.canRedraw;
}

/** The screens with the state of the connection below them: it says why nothing changes. */
function drawn(context: VerbContext, screens$: Observable<SafeText>, keys = text`Ctrl-C to stop`): Observable<never> {
  // The connection first: its first event comes while the screens are subscribed to.
  const all$ = combineLatest([
    connections(context).pipe(map(connectionText), startWith(text`not connected`)),
    screens$.pipe(startWith(undefined)),
  ]);
  return context.terminal.drawEach(
    all$.pipe(
      auditTime(drawEveryMs),
      map(([connection, screen]) =>
        join([...(screen === undefined ? [] : [screen]), text`${connection}  ${keys}`], '\n'),
      ),
    ),
  );
}

/** A line for each value, after the time, unless it would say what the last one said. JSON has every value. */
function changes<Value extends object>(
  { json }: VerbContext,
  values$: Observable<Value>,
  lineOf: (value: Value) => SafeText,
): Observable<Output> {
  const lines$ = values$.pipe(map((data) => ({ data, line: lineOf(data) })));
  const shown$ = json ? lines$ : lines$.pipe(distinctUntilChanged(({ line }, next) => line.value === next.line.value));
  return shown$.pipe(map(({ data, line }) => ({ text: text`${new Date().toISOString()}  ${line}`, data })));
}

function printed(context: VerbContext, outputs$: Observable<Output>): Observable<Output> {
  let isLost = false;
  const reports$ = connections(context).pipe(
    filter(({ state: { status } }) => status === 'waiting' || (status === 'open' && isLost)),
    tap((event) => {
      isLost = event.state.status === 'waiting';
      context.terminal.log(connectionText(event));
    }),
    ignoreElements(),
  );
  return merge(reports$, outputs$);
}

function connections({ exchange }: VerbContext): Observable<LiveConnectionEvent> {
  return exchange.events$.pipe(filter((event) => event.type === 'live-connection'));
}
