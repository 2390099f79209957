// Automatic deleveraging: the order in which the positions of a perpetual would be closed against a bankrupt account.
// The sandbox ranks them, and deleverages none.
import type { AccountRisk } from './account-risk.js';
import type { Position, Positions } from './positions.js';

/** The rank of an account in a perpetual: 0 is deleveraged last, 4 first; `undefined` without a position. */
export interface AdlQuantile {
  readonly market: string;
  readonly long: number | undefined;
  readonly short: number | undefined;
}

const quantiles = 5;

/** The ranks of an account in these perpetuals; none in a market without a position of it. */
export function adlQuantiles(
  account: string,
  markets: readonly string[],
  positions: Positions,
  risk: AccountRisk,
): AdlQuantile[] {
  return markets.flatMap((market) => {
    const held = positions.inMarket(market);
    const quantileOf = (isLong: boolean) => {
      const side = held.filter(({ amount }) => amount.isGreaterThan(0) === isLong);
      const own = side.find((position) => position.account === account);
      if (own === undefined) return undefined;
      const score = scoreOf(own, risk);
      const safer = side.filter((position) => scoreOf(position, risk) < score).length;
      return Math.floor((quantiles * safer) / side.length);
    };
    const [long, short] = [quantileOf(true), quantileOf(false)];
    return long === undefined && short === undefined ? [] : [{ market, long, short }];
  });
}

/** Grows with profit and leverage; a loss counts less the higher the leverage is. */
function scoreOf(position: Position, risk: AccountRisk): number {
  const value = position.cost.abs();
  const profit = risk.profitOf(position).dividedBy(value).toNumber();
  const equity = risk.equity(position.account);
  const leverage = equity.isGreaterThan(0) ? value.dividedBy(equity).toNumber() : Number.POSITIVE_INFINITY;
  return profit > 0 ? profit * leverage : profit / leverage;
}
