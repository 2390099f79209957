// The deals of the account's orders.
import { apiErrorCodes } from '../../../model/error-body.js';
import type { LedgerFill } from '../../ledger.js';
import { invalid } from '../../rejection.js';
import { renderDeal } from '../dialect.js';
import type { FieldReader } from '../fields.js';
import { signed, type SignedCall } from '../route.js';

export const dealsRoutes = [
  signed('/api/v4/trade-account/executed-history', 'orders', deals),
  signed('/api/v4/trade-account/order', 'orders', dealsOfOrder),
];

/** With a market a list, and without one an object of lists, which is an empty list when it is empty. */
function deals({ state, account, fields }: SignedCall) {
  const client_order_id = fields.clientOrderId();
  const market = fields.optionalMarket();
  if (market !== undefined && !market.includes('_'))
    throw invalid(422, apiErrorCodes.market, 'market', 'Market field format is invalid.');
  const from = fields.integer('startDate') ?? 0;
  const to = fields.integer('endDate') ?? Number.POSITIVE_INFINITY;
  const ofOrder = state.engine
    .deals(account)
    .filter((deal) => state.history.showsDeal(deal))
    .filter((deal) => client_order_id === '' || deal.client_order_id === client_order_id);
  if (client_order_id !== '' && ofOrder.length === 0)
    throw invalid(422, apiErrorCodes.validation, 'orderHistory', 'OrderHistory was not found.');
  const page = pageOf(
    ofOrder.filter(
      (deal) => (market === undefined || deal.market === market) && deal.at >= from * 1000 && deal.at <= to * 1000,
    ),
    fields,
  );
  if (market !== undefined) return page.map((deal) => renderDeal(fields.dialect, deal));
  const byMarket: Record<string, unknown[]> = {};
  for (const deal of page) (byMarket[deal.market] ??= []).push(renderDeal(fields.dialect, deal));
  return fields.dialect === 'live' && page.length === 0 ? [] : byMarket;
}

function dealsOfOrder({ state, account, fields }: SignedCall) {
  fields.require('order_id');
  const order_id = fields.orderId({ asDigits: false });
  const ofOrder = state.engine
    .deals(account)
    .filter((deal) => deal.order_id === order_id && state.history.showsDeal(deal));
  const records = pageOf(ofOrder, fields).map((deal) => {
    const { side: _side, orderId: _orderId, order_id: _order_id, ...record } = renderDeal(fields.dialect, deal);
    // By the published samples: the number of the order itself.
    return { ...record, dealOrderId: deal.order_id };
  });
  return { records, offset: fields.integer('offset'), limit: fields.integer('limit') };
}

function pageOf(all: readonly LedgerFill[], fields: FieldReader): LedgerFill[] {
  const offset = fields.integer('offset') ?? 0;
  return all.slice(offset, offset + (fields.integer('limit') ?? 0));
}
