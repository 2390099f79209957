// The account: its balance in each wallet, its fees, its margin and positions, and its token for real-time channels.
import { decimal, type Decimal } from '../../../model/decimal.js';
import { leverages } from '../../../model/position.js';
import { defaultFee, type OpenPosition } from '../../engine/index.js';
import { malformed } from '../../rejection.js';
import { per10s } from '../rate-limiter.js';
import { signed, type Call } from '../route.js';
import { requireAsset } from './assets.js';
import { marketOf } from './market-data.js';

export const accountRoutes = [
  signed('/api/v4/main-account/balance', mainBalance, { fields: { ticker: { maxLength: 255 } } }),
  signed('/api/v4/trade-account/balance', tradeBalance),
  signed('/api/v4/market/fee', fees),
  signed('/api/v4/market/fee/single', feeOf, { required: ['market'] }),
  signed(
    '/api/v4/profile/websocket_token',
    ({ state, account }) => ({ websocket_token: state.liveTokens.issue(account) }),
    { rateLimit: { limit: 10, windowMs: 60_000 } },
  ),
  // Published as numbers; the live exchange sends strings.
  signed('/api/v4/collateral-account/balance', (call) => Object.fromEntries(assetsOf(call))),
  signed('/api/v4/collateral-account/balance-summary', balanceSummary),
  signed('/api/v4/collateral-account/summary', summary),
  signed('/api/v4/collateral-account/positions/open', openPositions),
  signed('/api/v4/collateral-account/leverage', setLeverage, {
    ...{ rateLimit: per10s(1000), required: ['leverage'], fields: { leverage: { minimum: 1, maximum: 100 } } },
  }),
  signed('/api/v4/collateral-account/hedge-mode', ({ state, account }) => ({
    hedgeMode: state.engine.positions.isHedged(account),
  })),
  signed('/api/v4/collateral-account/hedge-mode/update', updateHedgeMode, {
    ...{ rateLimit: per10s(1000), required: ['hedgeMode'] },
  }),
];

function mainBalance({ state, account, fields }: Call) {
  const ticker = fields.text('ticker');
  if (ticker !== undefined) return { main_balance: state.books.balance(account, 'main', ticker) };
  const balances = state.books.wallet(account, 'main');
  return Object.fromEntries(Object.entries(balances).map(([asset, main_balance]) => [asset, { main_balance }]));
}

/** Without a ticker: every asset of the wallet. With one: the live exchange sends its balance bare. */
function tradeBalance({ state, account, fields }: Call) {
  const balanceOf = (ticker: string) => state.wallets.spot(account, ticker);
  const assets = Object.keys(state.books.wallet(account, 'trade'));
  const ticker = fields.text('ticker');
  if (ticker === undefined) return Object.fromEntries(assets.map((asset) => [asset, balanceOf(asset)]));
  requireAsset(state, ticker, 'Currency was not found.');
  return balanceOf(ticker);
}

/** Published for one market: its own fee, and no premiums without RPI orders. */
function feeOf({ state, fields }: Call) {
  const { takerFee: taker, makerFee: maker } = marketOf(state, fields.market()).listing;
  return { error: null, taker, maker, rpi_maker_fee_premium: null, futures_rpi_maker_fee_premium: null };
}

/** The markets whose fees differ have custom fees: published as objects; clients of the live exchange read pairs. */
function fees({ state }: Call) {
  const custom = state.engine
    .views()
    .map(({ listing }) => listing)
    .filter(({ takerFee, makerFee }) => takerFee !== defaultFee || makerFee !== defaultFee);
  return {
    ...{ error: null, taker: defaultFee, maker: defaultFee, futures_taker: defaultFee, futures_maker: defaultFee },
    ...{ rpi_maker_fee_premium: null, futures_rpi_maker_fee_premium: null },
    custom_fee: Object.fromEntries(custom.map(({ name, takerFee, makerFee }) => [name, [takerFee, makerFee]])),
  };
}

function balanceSummary(call: Call) {
  return assetsOf(call).map(([asset]) => {
    const { available, ...values } = call.state.wallets.collateral(call.account, asset);
    return { asset, ...values, availableWithoutBorrow: available, availableWithBorrow: available };
  });
}

/** What the live exchange sends for the fractions of an account without positions. */
const noPositions = '1000000000000000000000';
const fractionPlaces = 8;

/** The fractions are shares of the equity: positions are closed when that of the maintenance margin is above 1. */
function summary({ state, account }: Call) {
  const status = state.engine.current.margin.status(account);
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
  return { leverage: state.engine.current.margin.setLeverage(account, leverage) };
}

/** The response is not published. */
function updateHedgeMode({ state, account, fields }: Call) {
  state.engine.current.collateral.updateHedgeMode(account, fields.flag('hedgeMode'));
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
    .ofMarket(state.engine.current.collateral.openPositions(account), ({ position }) => position.market)
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

const pricePlaces = 8;

/** An open position, over REST and on the real-time interface. Perpetuals pay their funding from the balance. */
export function positionValuesOf({ position, margin, unrealizedPnl, liquidationPrice }: OpenPosition) {
  const { amount, cost, profit } = position;
  return {
    ...{ amount, margin, unrealizedPnl, realizedPnl: profit, funding: '0', unrealizedFunding: '0' },
    value: decimal(cost.plus(unrealizedPnl)).abs(),
    basePrice: cost.dividedBy(amount).decimalPlaces(pricePlaces),
    liquidationPrice: liquidationPrice?.decimalPlaces(pricePlaces) ?? null,
  };
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
