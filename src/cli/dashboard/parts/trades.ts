// The newest trades of a market, with a row wherever some may be missing.
import { combineLatest, EMPTY, map, merge, mergeMap, of, scan, startWith, type Observable } from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import type { LiveTradeItem } from '../../../live/index.js';
import { pageAmount, pageName } from '../page-text.js';
import type { TradeRow, TradesPart } from '../messages.js';
import { sideOf, timeOf } from './figures.js';
import { shown, untilRefused, type Outage, type Reading } from './freshness.js';

const maxRows = 60;
/** The trades that an outage missed are pushed together with the gap. */
const replayMs = 50;

interface Tape {
  readonly rows: readonly TradeRow[];
  readonly at: number;
  /** When the newest gap came, whose trades follow at once. */
  readonly gapAt: number | undefined;
}

type Trade = TradeRow & { readonly kind: 'trade' };
type Item = { readonly kind: 'past'; readonly rows: readonly Trade[] } | LiveTradeItem;

export function tradesPart(
  exchange: Exchange,
  outage: Outage,
  market: string,
  own$: Observable<ReadonlySet<number>> = of(new Set<number>()),
): Observable<TradesPart> {
  const past$ = exchange.public.recentTrades({ market }).pipe(
    map((trades): Item => {
      const rows = trades.map(({ tradeID, price, quote_volume, trade_timestamp, type }) =>
        tradeRow(tradeID, trade_timestamp, price, quote_volume, type),
      );
      return { kind: 'past', rows: rows.toSorted((one, other) => other.at - one.at || other.id - one.id) };
    }),
    // The trades from now on do without those before.
    untilRefused(),
  );
  const tape$ = merge(past$, exchange.live.trades({ markets: [market] })).pipe(
    scan(withItem, { rows: [], at: 0, gapAt: undefined }),
  );
  const isOpen$ = exchange.live.state$.pipe(map(({ status }) => status === 'open'));
  const reading$ = combineLatest([tape$, isOpen$]).pipe(
    map(([tape, isOpen]): Reading<Tape> => ({ value: tape, status: isOpen ? 'live' : 'stale', at: tape.at })),
  );
  return combineLatest([reading$.pipe(shown(outage, null)), own$.pipe(startWith(new Set<number>()))]).pipe(
    map(([{ value, state }, own]) => ({
      state,
      market: pageName(market),
      list: (value?.rows ?? []).map((row) => (row.kind === 'trade' && own.has(row.id) ? { ...row, isOwn: true } : row)),
    })),
  );
}

export function lastTrades(exchange: Exchange, market: string): Observable<string> {
  return exchange.live.trades({ markets: [market] }).pipe(
    mergeMap((item) => (item.kind === 'trade' ? of(item.trade.price) : EMPTY)),
    // The trades of the page report it.
    untilRefused(),
  );
}

function withItem(tape: Tape, item: Item): Tape {
  const now = Date.now();
  if (item.kind === 'past') {
    const known = new Set(tape.rows.flatMap((row) => (row.kind === 'trade' ? row.id : [])));
    const older = item.rows.filter(({ id }) => !known.has(id));
    return { ...tape, rows: [...tape.rows, ...older].slice(0, maxRows), at: Math.max(tape.at, now) };
  }
  if (item.kind === 'gap') {
    const { from, to, filled } = item;
    const gap: TradeRow = { kind: 'gap', from: from * 1000, to: to * 1000, filledIn: filled ? 0 : null };
    return { ...tape, rows: [gap, ...tape.rows].slice(0, maxRows), gapAt: filled ? now : undefined };
  }
  const { id, time, price, amount, type } = item.trade;
  const rows = [tradeRow(id, time, price, amount, type), ...tape.rows].slice(0, maxRows);
  const isFilledIn = tape.gapAt !== undefined && now - tape.gapAt <= replayMs;
  return { rows: isFilledIn ? countedIn(rows) : rows, at: now, gapAt: isFilledIn ? tape.gapAt : undefined };
}

function countedIn(rows: readonly TradeRow[]): readonly TradeRow[] {
  const gap = rows.findIndex(({ kind }) => kind === 'gap');
  return rows.map((row, index) =>
    index === gap && row.kind === 'gap' ? { ...row, filledIn: Number(row.filledIn) + 1 } : row,
  );
}

function tradeRow(id: number, time: number, price: string, amount: string, type: string | undefined): Trade {
  return {
    ...{ kind: 'trade', id, at: timeOf(time) ?? Date.now(), price: pageAmount(price), amount: pageAmount(amount) },
    ...{ side: sideOf(type), isOwn: false },
  };
}
