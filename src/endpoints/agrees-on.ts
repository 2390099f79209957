// Whether a response can belong to a request, by the fields that both have.
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
