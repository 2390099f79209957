// The rules of a market as the recorded list of markets has them.
import { isRecord } from '../../model/map.js';
import type { SandboxMarketOptions } from '../engine/index.js';

/** The fees of a market, percent. */
export interface MarketFees {
  /** Percent, a decimal string. */
  readonly maker: string;
  /** Percent, a decimal string. */
  readonly taker: string;
}

/** A recorded market offers no levels of the sandbox's own. */
export const noDepth = { levels: 0, step: 0, size: '0' } as const;

/** The records of a response of `public/markets`; none when it is malformed. */
export function recordsOf(body: string): readonly Readonly<Record<string, unknown>>[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [];
  }
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The options of a market by its record in the list; `undefined` for one without a name. */
export function listingOf(
  record: Readonly<Record<string, unknown>>,
  fees: Readonly<Record<string, MarketFees>>,
): SandboxMarketOptions | undefined {
  const { name, isCollateral } = record;
  if (typeof name !== 'string') return undefined;
  const text = (...names: readonly (keyof SandboxMarketOptions)[]) =>
    Object.fromEntries(names.flatMap((one) => (typeof record[one] === 'string' ? [[one, record[one]]] : [])));
  const count = (...names: readonly (keyof SandboxMarketOptions)[]) =>
    Object.fromEntries(
      names.map((one) => [one, Number(record[one] ?? NaN)] as const).filter(([, value]) => Number.isInteger(value)),
    );
  const own = fees[name];
  return {
    ...{ name, depth: noDepth },
    ...count('stockPrec', 'moneyPrec', 'feePrec'),
    ...text('tickSize', 'stepSize', 'minAmount', 'minTotal', 'maxTotal', 'makerFee', 'takerFee'),
    ...(typeof isCollateral === 'boolean' ? { isCollateral } : {}),
    ...(own === undefined ? {} : { makerFee: own.maker, takerFee: own.taker }),
  };
}
