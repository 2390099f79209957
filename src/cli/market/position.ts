// An open position: its side and size, and closing it.
import type { Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import { decimal, type Decimal } from '../../model/decimal.js';
import type { LivePosition, Position } from '../../model/position.js';

export type AnyPosition = Position | LivePosition;

/** `long` or `short`, and the amount without sign: that of a short position is negative outside of hedge mode. */
export function sizeOf({ positionSide, amount }: AnyPosition): {
  readonly side: 'long' | 'short';
  readonly size: Decimal;
} {
  const value = decimal(amount);
  const isShort = positionSide === 'SHORT' || (positionSide !== 'LONG' && value.isNegative());
  return { side: isShort ? 'short' : 'long', size: value.abs() };
}

export function closePosition({ collateral }: Exchange, position: Position): Observable<object> {
  const { market, positionId, positionSide } = position;
  const hedged = (['LONG', 'SHORT'] as const).find((side) => side === positionSide);
  return collateral.closePosition({ market, positionId, ...(hedged === undefined ? {} : { positionSide: hedged }) });
}
