// `positionsMargin` and `borrowsMargin`: all open positions and loans, again and again. `positionsAccountMargin` and
// `borrowsAccountMargin`: margin calls and liquidations.
import { formatDecimal } from '../../../model/decimal.js';
import { positionValuesOf } from '../../account-values.js';
import type { AccountEvent, OpenPosition } from '../../engine/index.js';
import { secondsOf } from '../book-history.js';
import { tickMs, type Channel, type Subscription } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import type { LiveAccount } from './live-account.js';

export function positionsMarginChannel(account: LiveAccount): Channel {
  return wholeAccountChannel(account, 'positionsMargin', 1000, {
    due: () => listOf(account.parts.engine.openPositions(account.name).map(positionRecord)),
  });
}

/** The sandbox lends nothing. */
export function borrowsMarginChannel(account: LiveAccount): Channel {
  return wholeAccountChannel(account, 'borrowsMargin', 1500, { due: () => listOf([]) });
}

export function positionsAccountMarginChannel(account: LiveAccount): Channel {
  return wholeAccountChannel(account, 'positionsAccountMargin', tickMs, {
    paramsOf: (event) => (event.kind === 'position' ? [event.event, positionRecord(event.position)] : undefined),
  });
}

export function borrowsAccountMarginChannel(account: LiveAccount): Channel {
  return wholeAccountChannel(account, 'borrowsAccountMargin', tickMs, {});
}

interface WholeAccountRules {
  /** The parameters of a message that is due. Default: none is. */
  readonly due?: () => Push['params'];
  /** The parameters of the message about an event. Default: no event is sent. */
  readonly paramsOf?: (event: AccountEvent) => Push['params'] | undefined;
}

/** A channel without a list and without a query. */
function wholeAccountChannel(
  { exchange }: LiveAccount,
  channel: string,
  everyMs: number,
  { due, paramsOf }: WholeAccountRules,
): Channel {
  const open = (): Subscription => {
    let isSubscribed = false;
    return {
      subscribe: (params) => {
        if (params.length > 0) throw invalidArgument();
        isSubscribed = true;
        return [];
      },
      unsubscribe: () => {
        isSubscribed = false;
      },
      due: () => (isSubscribed && due !== undefined ? [{ channel, params: due() }] : []),
      pushesOf: (event) => {
        const params = isSubscribed ? paramsOf?.(event) : undefined;
        return params === undefined ? [] : [{ channel, market: event.market, params }];
      },
      markets: () => (isSubscribed ? exchange.markets().map(({ listing }) => listing.name) : []),
    };
  };
  return { name: channel, everyMs, queries: {}, open };
}

function listOf(records: readonly unknown[]) {
  return { total: records.length, records };
}

function positionRecord(open: OpenPosition) {
  const { position, liquidationState = null } = open;
  const values = positionValuesOf(open);
  return {
    id: position.id,
    market: position.market,
    ctime: secondsOf(position.openedAt),
    mtime: secondsOf(position.changedAt),
    amount: values.amount,
    amount_in_money: values.value,
    base_price: values.basePrice,
    pnl: values.unrealizedPnl,
    liq_price: values.liquidationPrice,
    liq_stage: liquidationState,
    unrealized_funding: values.unrealizedFunding,
    funding: values.funding,
    margin: values.margin,
    free_margin: formatDecimal(open.freeMargin),
    realized_pnl: values.realizedPnl,
    position_side: position.side,
  };
}
