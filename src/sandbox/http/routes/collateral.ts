// Collateral trading: placing orders, and the account's leverage.
import { apiErrorCodes } from '../../../model/error-body.js';
import { leverages } from '../../../model/position.js';
import type { NewOrder } from '../../engine/index.js';
import { invalid } from '../../rejection.js';
import { renderCollateralOrder } from '../render.js';
import { per10s, signed, type SignedCall } from '../route.js';
import { collateralFields, flagFields, orderFields } from './order-fields.js';

const required = ['market', 'side', 'amount'];

export const collateralRoutes = [
  signed('/api/v4/order/collateral/limit', placeLimitOrder, { required: [...required, 'price'] }),
  signed('/api/v4/order/collateral/market', placeMarketOrder, { required }),
  signed('/api/v4/order/collateral/stop-limit', placeStopLimitOrder, {
    required: [...required, 'price', 'activation_price'],
  }),
  signed('/api/v4/order/collateral/trigger-market', placeTriggerMarketOrder, {
    required: [...required, 'activation_price'],
  }),
  signed('/api/v4/collateral-account/leverage', setLeverage, {
    ...{ rateLimit: per10s(1000), required: ['leverage'], fields: { leverage: { minimum: 1, maximum: 100 } } },
  }),
];

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
  return renderCollateralOrder(state.engine.place(account, order));
}

function setLeverage({ state, account, fields }: SignedCall) {
  fields.require();
  const leverage = leverages.find((known) => known === fields.value('leverage'));
  if (leverage === undefined)
    throw invalid(422, apiErrorCodes.validation, 'leverage', 'The selected leverage is invalid.');
  return { leverage: state.engine.setLeverage(account, leverage) };
}
