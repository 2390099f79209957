// The rules of a market as the recorded list of markets has them.
import { isRecord } from '../../model/map.js';
import type { SandboxMarketOptions } from '../engine/index.js';
import { parsedJson } from '../json.js';

/** The fees of a market, percent. */
export interface MarketFees {
  /** Percent, a decimal string. */
  readonly maker: string;
  /** Percent, a decimal string. */
  readonly taker: string;
}

export function recordsOf(body: string): readonly Readonly<Record<string, unknown>>[] {
  const value = parsedJson(body);
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

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
    // It offers no levels of the sandbox's own.
    ...{ name, depth: { levels: 0, step: 0, size: '0' } },
    ...count('stockPrec', 'moneyPrec', 'feePrec'),
    ...text('tickSize', 'stepSize', 'minAmount', 'minTotal', 'maxTotal', 'makerFee', 'takerFee'),
    ...(typeof isCollateral === 'boolean' ? { isCollateral } : {}),
    ...(own === undefined ? {} : { makerFee: own.maker, takerFee: own.taker }),
  };
}
