// OCO orders: placing, listing and canceling them.
import { renderOcoOrder, renderPlacedOcoOrder } from '../render.js';
import { per10s } from '../rate-limiter.js';
import { page, signed, type Call } from '../route.js';
import { orderFields, orderReference, readPositionSide } from './order-fields.js';

export const ocoOrdersRoutes = [
  signed('/api/v4/order/collateral/oco', placeOcoOrder, {
    required: ['market', 'side', 'amount', 'price', 'activation_price', 'stop_limit_price'],
  }),
  signed('/api/v4/oco-orders', ocoOrders, { rateLimit: per10s(12_000), fields: page(100, 50, 4_294_967_295) }),
  signed('/api/v4/order/oco-cancel', cancelOcoOrder),
];

function placeOcoOrder({ state, account, fields }: Call) {
  const positionSide = readPositionSide(fields);
  const oco = state.engine.oco.place(account, {
    ...orderFields(fields),
    price: fields.price('price'),
    activation_price: fields.price('activation_price'),
    stop_limit_price: fields.price('stop_limit_price'),
    reduceOnly: fields.flag('reduceOnly'),
    positionSide,
  });
  return renderPlacedOcoOrder(oco, state.engine.bookOf(oco.takeProfit.market).listing);
}

function ocoOrders({ state, account, fields }: Call) {
  const found = fields.ofMarket(state.engine.oco.list(account), ({ takeProfit }) => takeProfit.market);
  return fields.page(found).records.map(renderOcoOrder);
}

function cancelOcoOrder({ state, account, fields }: Call) {
  const { market, reference } = orderReference(fields);
  return renderOcoOrder(state.engine.cancels.oco(account, market, reference));
}
