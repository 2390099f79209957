// The private channels, which need an authorized connection.
import type { Channel, LiveAccount } from '../channel.js';
import type { accountChannelNames } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';
import { balanceMarginChannel, balanceSpotChannel } from './balances.js';
import { dealsChannel, ordersExecutedChannel, ordersPendingChannel } from './orders.js';
import {
  adlQuantileChannel,
  borrowsAccountMarginChannel,
  borrowsMarginChannel,
  positionsAccountMarginChannel,
  positionsMarginChannel,
} from './positions.js';

const channels = {
  balanceSpot: balanceSpotChannel,
  balanceMargin: balanceMarginChannel,
  ordersPending: ordersPendingChannel,
  ordersExecuted: ordersExecutedChannel,
  deals: dealsChannel,
  positionsMargin: positionsMarginChannel,
  positionsAccountMargin: positionsAccountMarginChannel,
  borrowsMargin: borrowsMarginChannel,
  borrowsAccountMargin: borrowsAccountMarginChannel,
  ADLQuantile: adlQuantileChannel,
} satisfies Readonly<Record<(typeof accountChannelNames)[number], (account: LiveAccount) => Channel>>;

export function accountChannels(
  exchange: LiveExchange,
  parts: LiveAccount['parts'],
  account: string,
): readonly Channel[] {
  return Object.values(channels).map((channelOf) => channelOf({ exchange, parts, name: account }));
}
