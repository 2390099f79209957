// `deals`: the executions of the account.
import { currenciesOf, type DealEvent, type MarketView } from '../../engine/index.js';
import type { LedgerFill } from '../../ledger.js';
import { secondsOf } from '../book-history.js';
import { oneMarket, type Channel } from '../channel.js';
import { invalidArgument } from '../envelope.js';
import { accountChannel } from './account-channel.js';
import { onPage, pageOf, type LiveAccount } from './live-account.js';
import { sideNumber } from './order-record.js';

const roles = { maker: 1, taker: 2 } as const;

export function dealsChannel(account: LiveAccount): Channel {
  return accountChannel(account.exchange, {
    name: 'deals',
    queries: { deals_request: (params) => query(account, params) },
    list: { allowsAll: true },
    read: readNested,
    paramsOf: (event) => (event.kind === 'deal' ? dealTuple(event) : undefined),
  });
}

/** The list of markets is a list in the list of parameters. */
function readNested(params: readonly unknown[]) {
  const [markets] = params;
  if (params.length !== 1 || !Array.isArray(markets)) throw invalidArgument();
  return { markets };
}

/** Newest first. */
function query({ exchange, parts, name }: LiveAccount, [market, ...rest]: readonly unknown[]) {
  const page = pageOf(rest);
  const view = oneMarket(exchange, [market]);
  const deals = parts.engine
    .deals(name)
    .filter((fill) => fill.market === view.listing.name && parts.history.showsDeal(fill));
  return { ...page, records: onPage(deals, page).map((fill) => dealRecord(fill, view)) };
}

/** Without the money of the deal and the other order. */
function dealTuple({ fill }: DealEvent): readonly unknown[] {
  const { id, at, market, order_id, price, amount, fee, client_order_id, side, role } = fill;
  const { money } = currenciesOf(market);
  return [
    ...[id, secondsOf(at), market, order_id, price, amount, fee, client_order_id],
    ...[sideNumber(side), roles[role], money],
  ];
}

function dealRecord(fill: LedgerFill, { listing, tape }: MarketView) {
  const { id, at, market, order_id, client_order_id, side, role, price, amount, money, fee } = fill;
  const trade = tape.trades.findLast((one) => one.id === id);
  const otherId = role === 'maker' ? trade?.takerOrderId : trade?.makerOrderId;
  return {
    ...{ id, time: secondsOf(at), side: sideNumber(side), role: roles[role], price, amount, deal: money, fee },
    // The sandbox itself has no orders.
    ...{ order_id, deal_order_id: otherId ?? 0, market, client_order_id, fee_asset: listing.money },
  };
}
