// Placing orders, on spot and on collateral, one by one and several in one request.
import { apiErrorCodes } from '../../../model/error-body.js';
import type { NewOrder } from '../../engine/index.js';
import { invalid, malformed, Rejection } from '../../rejection.js';
import type { FieldReader } from '../fields.js';
import { rejectionBody, renderCollateralOrder, renderOrder, renderPlacedOcoOrder } from '../render.js';
import { signed, type Call, type Route } from '../route.js';

const { conflictingFlags, price: badPrice, rpiWithIoc, rpiWithRetail } = apiErrorCodes;

type Kind = Pick<NewOrder, 'type' | 'collateral'>;

const spotLimit: Kind = { type: 'limit', collateral: false };
const collateralLimit: Kind = { type: 'limit', collateral: true };

export const placeOrdersRoutes = [
  placing('new', spotLimit),
  placing('stop_limit', { type: 'stop limit', collateral: false }),
  placing('stop_market', { type: 'stop market', collateral: false }),
  placing('stock_market', { type: 'stock market', collateral: false }),
  placing('market', { type: 'market', collateral: false }),
  placing('collateral/limit', collateralLimit),
  placing('collateral/market', { type: 'market', collateral: true }),
  placing('collateral/stop-limit', { type: 'stop limit', collateral: true }),
  placing('collateral/trigger-market', { type: 'stop market', collateral: true }),
  signed('/api/v4/order/bulk', (call) => placeAll(call, spotLimit)),
  signed('/api/v4/order/collateral/bulk', (call) => placeAll(call, collateralLimit)),
  signed('/api/v4/order/collateral/oco', placeOcoOrder, {
    required: ['market', 'side', 'amount', 'price', 'activation_price', 'stop_limit_price'],
  }),
];

function placing(path: string, kind: Kind): Route {
  return signed(`/api/v4/order/${path}`, (call) => place(call, kind));
}

function place({ state, account, fields }: Call, kind: Kind) {
  const placed = state.engine.current.intake.place(account, readOrder(fields, kind));
  return kind.collateral ? renderCollateralOrder(placed) : renderOrder(placed);
}

/** Published in a guide only. */
const maxOrders = 20;

function placeAll(call: Call, kind: Kind) {
  const { fields } = call;
  const orders = fields.value('orders');
  if (!Array.isArray(orders)) throw malformed('orders', 'The orders must be an array.');
  if (orders.length === 0 || orders.length > maxOrders)
    throw malformed('orders', `The orders must have between 1 and ${maxOrders} items.`);
  const stopOnFail = fields.flag('stopOnFail');
  const entries = [];
  for (const order of orders) {
    try {
      entries.push({ result: place({ ...call, fields: fields.ofItem(order) }, kind), error: null });
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      entries.push({ result: null, error: rejectionBody(error) });
      if (stopOnFail) break;
    }
  }
  return entries;
}

function readOrder(fields: FieldReader, { type, collateral }: Kind): NewOrder {
  const hasPrice = type === 'limit' || type === 'stop limit';
  const hasTrigger = type === 'stop limit' || type === 'stop market';
  const isPriced = hasPrice && (collateral || fields.value('bboRole') === undefined);
  fields.require(
    'market',
    'side',
    'amount',
    ...(isPriced ? ['price'] : []),
    ...(hasTrigger ? ['activation_price'] : []),
  );
  const flags = type === 'limit' ? readFlags(fields, collateral) : {};
  return {
    ...{ type, collateral, ...flags, ...readTerms(fields) },
    ...(isPriced ? { price: fields.price('price') } : {}),
    ...(hasPrice && !isPriced ? { bboRole: readBboRole(fields, flags) } : {}),
    ...(hasTrigger ? { activation_price: fields.price('activation_price') } : {}),
    ...(collateral ? readCollateralTerms(fields) : {}),
  };
}

function readTerms(fields: FieldReader) {
  return {
    market: fields.market(),
    side: fields.side(),
    amount: fields.amount(),
    client_order_id: fields.clientOrderId(),
    stp: fields.stp(),
  };
}

function readFlags(fields: FieldReader, collateral: boolean) {
  const [postOnly, rpi, ioc] = [fields.flag('postOnly'), fields.flag('rpi'), fields.flag('ioc')];
  if (ioc && rpi) throw invalid(422, rpiWithIoc, 'ioc', 'IOC cannot be combined with RPI.');
  if (ioc && postOnly)
    throw invalid(422, conflictingFlags, 'ioc', 'Either IOC or PostOnly flag in true state is allowed.');
  if (collateral) return { postOnly, rpi, ioc };
  const retail = fields.flag('retail');
  if (rpi && retail) throw invalid(422, rpiWithRetail, 'retail', 'api.tradeErrors.flagsCantBeCombined.rpiRetail');
  if (rpi && postOnly) throw malformed('postOnly', 'PostOnly cannot be combined with RPI.');
  return { postOnly, rpi, ioc, retail };
}

/** The order gets its price from the book when it is placed. */
function readBboRole(fields: FieldReader, { postOnly = false, ioc = false }): 1 | 2 {
  const role = fields.value('bboRole');
  if (role !== 1 && role !== 2) throw malformed('bboRole', 'The selected bboRole is invalid.');
  if (fields.value('price') !== undefined)
    throw invalid(422, badPrice, 'price', 'The price cannot be combined with bboRole.');
  if (postOnly) throw malformed('bboRole', 'BboRole cannot be combined with postOnly.');
  if (ioc && role === 1) throw malformed('bboRole', 'IOC can be combined with bboRole 2 only.');
  return role;
}

function readCollateralTerms(fields: FieldReader) {
  const stopLoss = fields.optionalPrice('stopLoss');
  const takeProfit = fields.optionalPrice('takeProfit');
  const reduceOnly = fields.flag('reduceOnly');
  if (reduceOnly && (stopLoss !== undefined || takeProfit !== undefined))
    throw malformed('reduceOnly', 'reduceOnly cannot be combined with stopLoss or takeProfit.');
  return { reduceOnly, positionSide: fields.positionSide(), stopLoss, takeProfit };
}

function placeOcoOrder({ state, account, fields }: Call) {
  const oco = state.engine.current.oco.place(account, {
    ...readTerms(fields),
    price: fields.price('price'),
    activation_price: fields.price('activation_price'),
    stop_limit_price: fields.price('stop_limit_price'),
    reduceOnly: fields.flag('reduceOnly'),
    positionSide: fields.positionSide(),
  });
  return renderPlacedOcoOrder(oco, state.engine.markets.book(oco.takeProfit.market).listing);
}
