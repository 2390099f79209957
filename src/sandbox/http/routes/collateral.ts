// Collateral trading: placing orders, and the account's leverage.
import { apiErrorCodes } from '../../../model/error-body.js';
import { leverages } from '../../../model/leverage.js';
import type { NewOrder } from '../../engine/index.js';
import { published, publishedLimit } from '../../published/index.js';
import { invalid } from '../../rejection.js';
import { renderCollateralOrder } from '../dialect.js';
import { routeGroup, type SignedCall } from '../route.js';
import { collateralFields, flagFields, orderFields } from './order-fields.js';

export const collateralGroup = routeGroup({
  rateLimits: {
    collateralLimit: publishedLimit('/api/v4/order/collateral/limit'),
    collateralMarket: publishedLimit('/api/v4/order/collateral/market'),
    collateralStopLimit: publishedLimit('/api/v4/order/collateral/stop-limit'),
    collateralTriggerMarket: publishedLimit('/api/v4/order/collateral/trigger-market'),
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
      ...published('/api/v4/order/collateral/market'),
      rateLimit: 'collateralMarket',
      authentication: 'signed',
      respond: placeMarketOrder,
    },
    {
      ...published('/api/v4/order/collateral/stop-limit'),
      rateLimit: 'collateralStopLimit',
      authentication: 'signed',
      respond: placeStopLimitOrder,
    },
    {
      ...published('/api/v4/order/collateral/trigger-market'),
      rateLimit: 'collateralTriggerMarket',
      authentication: 'signed',
      respond: placeTriggerMarketOrder,
    },
    {
      ...published('/api/v4/collateral-account/leverage'),
      rateLimit: 'leverage',
      authentication: 'signed',
      respond: setLeverage,
    },
  ],
});

export function placeLimitOrder(call: SignedCall) {
  const { fields } = call;
  fields.require();
  return place(call, { type: 'limit', ...flagFields(fields), price: fields.price('price') });
}

function placeMarketOrder(call: SignedCall) {
  call.fields.require();
  return place(call, { type: 'market' });
}

function placeStopLimitOrder(call: SignedCall) {
  const { fields } = call;
  fields.require();
  const activation_price = fields.price('activation_price');
  return place(call, { type: 'stop limit', price: fields.price('price'), activation_price });
}

function placeTriggerMarketOrder(call: SignedCall) {
  const { fields } = call;
  fields.require();
  return place(call, { type: 'stop market', activation_price: fields.price('activation_price') });
}

type OwnFields = Pick<NewOrder, 'type' | 'price' | 'activation_price' | 'postOnly' | 'ioc' | 'rpi'>;

function place({ state, account, fields }: SignedCall, own: OwnFields) {
  const order = { ...own, ...collateralFields(fields), ...orderFields(fields) };
  return renderCollateralOrder(fields.dialect, state.engine.place(account, order));
}

function setLeverage({ state, account, fields }: SignedCall) {
  fields.require();
  const leverage = leverages.find((known) => known === fields.value('leverage'));
  if (leverage === undefined)
    throw invalid(422, apiErrorCodes.validation, 'leverage', 'The selected leverage is invalid.');
  return { leverage: state.engine.setLeverage(account, leverage) };
}
