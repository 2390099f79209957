// The collateral account: its balances, its margin, and its positions.
import type { Decimal } from '../../../model/decimal.js';
import { leverages } from '../../../model/position.js';
import { collateralBalanceOf, positionValuesOf } from '../../account-values.js';
import type { OpenPosition } from '../../engine/index.js';
import { malformed } from '../../rejection.js';
import { per10s } from '../rate-limiter.js';
import { signed, type Call } from '../route.js';
import { requireAsset } from './assets.js';

export const collateralAccountRoutes = [
  // Published as numbers; the live exchange sends strings.
  signed('/api/v4/collateral-account/balance', (call) => Object.fromEntries(assetsOf(call))),
  signed('/api/v4/collateral-account/balance-summary', balanceSummary),
  signed('/api/v4/collateral-account/summary', summary),
  signed('/api/v4/collateral-account/positions/open', openPositions),
  signed('/api/v4/collateral-account/leverage', setLeverage, {
    ...{ rateLimit: per10s(1000), required: ['leverage'], fields: { leverage: { minimum: 1, maximum: 100 } } },
  }),
  signed('/api/v4/collateral-account/hedge-mode', ({ state, account }) => ({
    hedgeMode: state.engine.isHedged(account),
  })),
  signed('/api/v4/collateral-account/hedge-mode/update', updateHedgeMode, {
    ...{ rateLimit: per10s(1000), required: ['hedgeMode'] },
  }),
];

function balanceSummary(call: Call) {
  return assetsOf(call).map(([asset]) => {
    const { available, ...values } = collateralBalanceOf(call.state, call.account, asset);
    return { asset, ...values, availableWithoutBorrow: available, availableWithBorrow: available };
  });
}

/** What the live exchange sends for the fractions of an account without positions. */
const noPositions = '1000000000000000000000';
const fractionPlaces = 8;

/** The fractions are shares of the equity: positions are closed when that of the maintenance margin is above 1. */
function summary({ state, account }: Call) {
  const status = state.engine.margin.status(account);
  const { equity, margin, freeMargin, unrealizedPnl: pnl, maintenanceMargin, leverage } = status;
  const shareOf = (part: Decimal) =>
    maintenanceMargin.isZero() || equity.isZero() ? noPositions : part.dividedBy(equity).decimalPlaces(fractionPlaces);
  return {
    ...{ equity, margin, freeMargin, unrealizedFunding: '0', pnl, leverage },
    ...{ marginFraction: shareOf(margin), maintenanceMarginFraction: shareOf(maintenanceMargin) },
  };
}

function setLeverage({ state, account, fields }: Call) {
  const leverage = leverages.find((known) => known === fields.value('leverage'));
  if (leverage === undefined) throw malformed('leverage', 'The selected leverage is invalid.');
  return { leverage: state.engine.margin.setLeverage(account, leverage) };
}

/** The response is not published. */
function updateHedgeMode({ state, account, fields }: Call) {
  state.engine.collateral.updateHedgeMode(account, fields.flag('hedgeMode'));
  return { hedgeMode: fields.flag('hedgeMode') };
}

function assetsOf({ state, account, fields }: Call): [asset: string, amount: string][] {
  const wallet = Object.entries(state.books.wallet(account, 'collateral'));
  const ticker = fields.text('ticker');
  if (ticker === undefined) return wallet;
  requireAsset(state, ticker, 'ticker is invalid.');
  return [[ticker, wallet.find(([asset]) => asset === ticker)?.[1] ?? '0']];
}

const percentPlaces = 2;

/** The documents disagree about `pnl`, and say of no amount that `pnlPercent` is a share of it: here the margin. */
function openPositions({ state, account, fields }: Call) {
  return fields
    .ofMarket(state.engine.collateral.openPositions(account), ({ position }) => position.market)
    .map((open) => {
      const { position, freeMargin, liquidationState = null } = open;
      const { value: _value, realizedPnl: _realizedPnl, ...values } = positionValuesOf(open);
      return {
        ...{ positionId: position.id, market: position.market, positionSide: position.side },
        ...{ openDate: position.openedAt / 1000, modifyDate: position.changedAt / 1000 },
        ...{ ...values, freeMargin, liquidationState, pnl: values.unrealizedPnl },
        pnlPercent: open.unrealizedPnl.dividedBy(open.margin).shiftedBy(2).decimalPlaces(percentPlaces),
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
    ...{ takeProfitId: takeProfit?.order_id, takeProfit: takeProfit?.activation_price },
    ...{ stopLossId: stopLoss?.order_id, stopLoss: stopLoss?.activation_price },
  };
}
