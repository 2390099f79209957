// Collateral trading: placing limit orders, and the account's leverage.
import { apiErrorCodes } from '../../../model/error-body.js';
import { leverages } from '../../../model/leverage.js';
import { positionSides, type PositionSide } from '../../../model/order.js';
import { published, publishedLimit } from '../../published/index.js';
import { invalid } from '../../rejection.js';
import { renderCollateralOrder } from '../dialect.js';
import type { FieldReader } from '../fields.js';
import { routeGroup, type SignedCall } from '../route.js';
import { orderFields } from './order-fields.js';

export const collateralGroup = routeGroup({
  rateLimits: {
    collateralLimit: publishedLimit('/api/v4/order/collateral/limit'),
    leverage: publishedLimit('/api/v4/collateral-account/leverage'),
  },
  routes: [
    {
      ...published('/api/v4/order/collateral/limit'),
      rateLimit: 'collateralLimit',
      authentication: 'signed',
      respond: placeLimitOrder,
    },
    {
      ...published('/api/v4/collateral-account/leverage'),
      rateLimit: 'leverage',
      authentication: 'signed',
      respond: setLeverage,
    },
  ],
});

function placeLimitOrder({ state, account, fields }: SignedCall) {
  fields.require();
  const postOnly = fields.flag('postOnly');
  const rpi = fields.flag('rpi');
  const ioc = fields.flag('ioc');
  const { conflictingFlags, rpiWithIoc, validation } = apiErrorCodes;
  const isLive = fields.dialect === 'live';
  // Spec: rpi with ioc is 37, and ioc with postOnly has no code of its own. Live: 40, and 37.
  if (ioc && rpi) throw invalid(422, isLive ? rpiWithIoc : conflictingFlags, 'ioc', 'IOC cannot be combined with RPI.');
  if (ioc && postOnly)
    throw invalid(422, isLive ? conflictingFlags : validation, 'ioc', 'IOC cannot be combined with postOnly.');
  const stopLoss = fields.optionalPrice('stopLoss');
  const takeProfit = fields.optionalPrice('takeProfit');
  // Spec: published before it is accepted. Live: accepted.
  const reduceOnly = isLive && fields.flag('reduceOnly');
  if (reduceOnly && (stopLoss !== undefined || takeProfit !== undefined)) {
    throw invalid(422, validation, 'reduceOnly', 'reduceOnly cannot be combined with stopLoss or takeProfit.');
  }
  const positionSide = readPositionSide(fields);
  const order = state.engine.place(account, {
    type: 'limit',
    ...orderFields(fields),
    price: fields.price('price'),
    postOnly,
    ioc,
    rpi,
    reduceOnly,
    ...(positionSide === undefined ? {} : { positionSide }),
    ...(stopLoss === undefined ? {} : { stopLoss }),
    ...(takeProfit === undefined ? {} : { takeProfit }),
  });
  return renderCollateralOrder(fields.dialect, order);
}

function setLeverage({ state, account, fields }: SignedCall) {
  fields.require();
  const leverage = leverages.find((known) => known === fields.value('leverage'));
  if (leverage === undefined)
    throw invalid(422, apiErrorCodes.validation, 'leverage', 'The selected leverage is invalid.');
  return { leverage: state.engine.setLeverage(account, leverage) };
}

/** The side of the position that a request is about. */
export function readPositionSide(fields: FieldReader): PositionSide | undefined {
  const given = fields.value('positionSide');
  if (given === undefined) return undefined;
  const side = positionSides.find((known) => known === given);
  if (side === undefined) throw invalid(422, 114, 'positionSide', 'The selected positionSide is invalid.');
  return side;
}
