// The feed from the dashboard's server to its page (version 2), and the requests of the page. The page imports only
// types from here. No field can hold a key or a secret.
//
// `GET events?market=BTC_USDT&interval=1m&currency=USDT` is the feed, as server-sent events: each `data:` is an
// {@link Update} with the parts that changed, at most 10 a second. On every connection each part comes at first as soon as
// it is known. What the page shows is chosen by the address: another market, interval or currency is another connection,
// and the page closes the first. A hidden page closes its connection; opened again, it begins with every part.
// `POST try` tries the exchange at once: see {@link TryResponse}. `POST plan` and `POST act` change something: see {@link
// Action}.
//
// Amounts and prices are the exchange's decimal strings; times are Unix ms by the server's clock; durations are ms.
// A text is printable and bounded. Lists, never objects by asset: an asset may be named `toString`.

import type { AccountPart, EquityPoint, ExecutionsPart, OrdersPart, PositionsPart } from './account-messages.js';
import type { Act } from './act-messages.js';
import type { ExchangePart, LatencyPoint, Links } from './exchange-messages.js';
import type { Series } from './freshness-messages.js';
import type {
  BookPart,
  CandlesPart,
  Interval,
  MarketList,
  MarketPart,
  StripPart,
  TradesPart,
} from './market-messages.js';

export type * from './account-messages.js';
export type * from './act-messages.js';
export type * from './exchange-messages.js';
export type * from './freshness-messages.js';
export type * from './market-messages.js';

export interface Update {
  /** The server's time. Ages are `now` minus `at`, of one clock, plus the time since this update came. */
  readonly now: number;
  readonly parts: Partial<PartValues>;
}

export interface PartValues {
  readonly about: About;
  readonly markets: MarketList;
  /** At least once a second, so that a silent feed is a lost one. */
  readonly links: Links;
  readonly exchange: ExchangePart;
  readonly latency: Series<LatencyPoint>;
  readonly market: MarketPart;
  readonly strip: StripPart;
  readonly candles: CandlesPart;
  readonly book: BookPart;
  readonly trades: TradesPart;
  readonly executions: ExecutionsPart;
  readonly orders: OrdersPart;
  readonly positions: PositionsPart;
  readonly account: AccountPart;
  readonly equity: Series<EquityPoint>;
  readonly acts: readonly Act[];
}

export interface About {
  readonly exchange: string;
  readonly baseUrl: string;
  readonly sandbox: boolean;
  readonly tradingAllowed: boolean;
  readonly account: boolean;
  /** What this connection shows: defaults where its address has none, or an impossible one. */
  readonly view: View;
  readonly intervals: readonly Interval[];
  readonly currencies: readonly string[];
}

export interface View {
  readonly market: string;
  readonly interval: Interval;
  readonly currency: string;
}
