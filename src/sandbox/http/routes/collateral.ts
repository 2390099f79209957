// Collateral trading: placing limit orders, and the account's leverage.
import { apiErrorCodes } from '../../../model/error-body.js';
import { leverages } from '../../../model/leverage.js';
import { published, publishedLimit } from '../../published/index.js';
import { invalid } from '../../rejection.js';
import { renderCollateralOrder } from '../dialect.js';
import { routeGroup, type SignedCall } from '../route.js';
import { collateralFields, flagFields, orderFields } from './order-fields.js';

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

export function placeLimitOrder({ state, account, fields }: SignedCall) {
  fields.require();
  const flags = flagFields(fields);
  const order = state.engine.place(account, {
    type: 'limit',
    ...collateralFields(fields),
    ...orderFields(fields),
    ...flags,
    price: fields.price('price'),
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
