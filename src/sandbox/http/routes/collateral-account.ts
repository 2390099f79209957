// The collateral account: its balances, its margin, and its positions.
import { formatDecimal, type Decimal } from '../../../model/decimal.js';
import { apiErrorCodes } from '../../../model/error-body.js';
import { leverages } from '../../../model/position.js';
import { collateralBalanceOf, positionValuesOf } from '../../account-values.js';
import type { OpenPosition } from '../../engine/index.js';
import { invalid } from '../../rejection.js';
import { per10s, signed, type SignedCall } from '../route.js';
import { requireAsset } from './assets.js';

const rateLimit = per10s(12_000);

export const collateralAccountRoutes = [
  signed('/api/v4/collateral-account/balance', balance, { rateLimit }),
  signed('/api/v4/collateral-account/balance-summary', balanceSummary, { rateLimit }),
  signed('/api/v4/collateral-account/summary', summary, { rateLimit }),
  signed('/api/v4/collateral-account/positions/open', openPositions, { rateLimit }),
  signed('/api/v4/collateral-account/leverage', setLeverage, {
    ...{ rateLimit: per10s(1000), required: ['leverage'], fields: { leverage: { minimum: 1, maximum: 100 } } },
  }),
  signed('/api/v4/collateral-account/hedge-mode', hedgeMode, { rateLimit }),
  signed('/api/v4/collateral-account/hedge-mode/update', updateHedgeMode, {
    ...{ rateLimit: per10s(1000), required: ['hedgeMode'] },
  }),
];

/** Published as numbers; the live exchange sends strings. */
function balance(call: SignedCall) {
  return Object.fromEntries(assetsOf(call));
}

function balanceSummary(call: SignedCall) {
  return assetsOf(call).map(([asset]) => {
    const { balance: amount, borrow, available } = collateralBalanceOf(call.state, call.account, asset);
    return { asset, balance: amount, borrow, availableWithoutBorrow: available, availableWithBorrow: available };
  });
}

/** What the live exchange sends for the fractions of an account without positions. */
const noPositions = '1000000000000000000000';

/**
 * Perpetuals pay their funding from the balance, and margin positions pay none. The fractions are shares of the equity:
 * the positions are closed when that of the maintenance margin is above 1.
 */
function summary({ state, account }: SignedCall) {
  const status = state.engine.collateralAccount(account);
  const { equity, margin, freeMargin, unrealizedPnl, maintenanceMargin, leverage } = status;
  const shareOf = (part: Decimal) =>
    maintenanceMargin.isZero() || equity.isZero()
      ? noPositions
      : formatDecimal(part.dividedBy(equity).decimalPlaces(fractionPlaces));
  return {
    equity: formatDecimal(equity),
    margin: formatDecimal(margin),
    freeMargin: formatDecimal(freeMargin),
    unrealizedFunding: '0',
    pnl: formatDecimal(unrealizedPnl),
    leverage,
    marginFraction: shareOf(margin),
    maintenanceMarginFraction: shareOf(maintenanceMargin),
  };
}

function setLeverage({ state, account, fields }: SignedCall) {
  fields.require();
  const leverage = leverages.find((known) => known === fields.value('leverage'));
  if (leverage === undefined)
    throw invalid(422, apiErrorCodes.validation, 'leverage', 'The selected leverage is invalid.');
  return { leverage: state.engine.setLeverage(account, leverage) };
}

function hedgeMode({ state, account }: SignedCall) {
  return { hedgeMode: state.engine.isHedged(account) };
}

/** The response is not published. */
function updateHedgeMode({ state, account, fields }: SignedCall) {
  fields.require();
  state.engine.collateral.updateHedgeMode(account, fields.flag('hedgeMode'));
  return { hedgeMode: fields.flag('hedgeMode') };
}

function assetsOf({ state, account, fields }: SignedCall): [asset: string, amount: string][] {
  const wallet = Object.entries(state.books.wallet(account, 'collateral'));
  const ticker = fields.text('ticker');
  if (ticker === undefined) return wallet;
  requireAsset(state, ticker, 'ticker is invalid.');
  return [[ticker, wallet.find(([asset]) => asset === ticker)?.[1] ?? '0']];
}

const fractionPlaces = 8;
const percentPlaces = 2;

/** The documents disagree about `pnl`, and say of no amount that `pnlPercent` is a share of it: here the margin. */
function openPositions({ state, account, fields }: SignedCall) {
  const market = fields.optionalMarket();
  return state.engine
    .openPositions(account)
    .filter(({ position }) => market === undefined || position.market === market)
    .map((open) => {
      const { position, liquidationState = null } = open;
      const values = positionValuesOf(open);
      return {
        positionId: position.id,
        market: position.market,
        openDate: position.openedAt / 1000,
        modifyDate: position.changedAt / 1000,
        amount: values.amount,
        basePrice: values.basePrice,
        liquidationPrice: values.liquidationPrice,
        liquidationState,
        pnl: values.unrealizedPnl,
        pnlPercent: formatDecimal(open.unrealizedPnl.dividedBy(open.margin).shiftedBy(2).decimalPlaces(percentPlaces)),
        margin: values.margin,
        freeMargin: formatDecimal(open.freeMargin),
        funding: values.funding,
        unrealizedFunding: values.unrealizedFunding,
        unrealizedPnl: values.unrealizedPnl,
        positionSide: position.side,
        tpsl: stopsOf(open),
      };
    });
}

function stopsOf({ position, stops }: OpenPosition) {
  if (stops.length === 0) return null;
  const losing = position.amount.isGreaterThan(0) ? 'lte' : 'gte';
  const stopLoss = stops.findLast(({ activationCondition }) => activationCondition === losing);
  const takeProfit = stops.findLast(({ activationCondition }) => activationCondition !== losing);
  return {
    ...(takeProfit === undefined ? {} : { takeProfitId: takeProfit.order_id, takeProfit: takeProfit.activation_price }),
    ...(stopLoss === undefined ? {} : { stopLossId: stopLoss.order_id, stopLoss: stopLoss.activation_price }),
  };
}
