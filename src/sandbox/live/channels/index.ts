// The channels, one line each, by the prefix of their methods.
import { balanceMargin, balanceSpot } from './balances.js';
import { candles } from './candles.js';
import { depth } from './depth.js';
import { deals, ordersExecuted, ordersPending } from './orders.js';
import {
  ADLQuantile,
  borrowsAccountMargin,
  borrowsMargin,
  positionsAccountMargin,
  positionsMargin,
} from './positions.js';
import { bookTicker, lastprice, market, marketToday, premiumIndex } from './statistics.js';
import { trades } from './trades.js';

export const publicChannels = { bookTicker, candles, depth, lastprice, market, marketToday, premiumIndex, trades };

export const accountChannels = {
  ...{ balanceSpot, balanceMargin, ordersPending, ordersExecuted, deals, ADLQuantile },
  ...{ positionsMargin, positionsAccountMargin, borrowsMargin, borrowsAccountMargin },
};

export const channelNames = [...Object.keys(publicChannels), ...Object.keys(accountChannels)];
