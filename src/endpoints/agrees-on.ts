// Whether a response can belong to a request, by the fields that both have.
import type { Match } from '../endpoint/index.js';
import { cutDecimal, readDecimal } from '../model/decimal.js';
import { isRecord } from '../model/map.js';

/**
 * Whether a response has the requested values of these fields, as far as it shows them. A number may be shown as a
 * string.
 */
export function agreesOn(...names: readonly string[]): (requested: unknown, shown: unknown) => boolean {
  return (requested, shown) =>
    names.every((name) => {
      const [one, other] = [plainValue(requested, name), plainValue(shown, name)];
      return one === undefined || other === undefined || one === other;
    });
}

/** The same for each record of a list. An item that is no record belongs to another response. */
export function everyAgreesOn(...names: readonly string[]): (requested: unknown, shown: readonly unknown[]) => boolean {
  const agrees = agreesOn(...names);
  return (requested, shown) => shown.every((item) => isRecord(item) && agrees(requested, item));
}

function plainValue(record: unknown, name: string): string | undefined {
  const value = isRecord(record) ? record[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;
}

/** Whether a market or an asset of a response is the requested one, in any case, as far as both are given. */
export function isRequested(requested: unknown, shown: string | undefined): boolean {
  return shown === undefined || typeof requested !== 'string' || shown.toUpperCase() === requested.toUpperCase();
}

/** Whether a page starts at the requested offset, as far as it says where it starts. */
export function isRequestedPage(
  { offset: requested = 0 }: Readonly<Record<string, unknown>>,
  { offset }: { readonly offset?: number | undefined },
): boolean {
  return offset === undefined || offset === requested;
}

/** The exchange may cut amounts to the decimals of the asset, without an error: crypto assets have at least as many. */
const minDecimals = 6;

/**
 * Whether a record shows the requested amount, which the exchange may have cut. Perhaps, where it has fewer decimals than
 * a crypto asset: 0.01 is 0.015 of a fiat asset, or another amount.
 */
export function isAmountOf(shown: string, requested: unknown): Match {
  const [amount, wanted] = [readDecimal(shown), typeof requested === 'string' ? readDecimal(requested) : undefined];
  if (amount === undefined || wanted === undefined) return false;
  const isCut = (least: number) => amount.isEqualTo(cutDecimal(wanted, Math.max(amount.decimalPlaces() ?? 0, least)));
  return isCut(minDecimals) || (isCut(0) && 'perhaps');
}
