// What the private channels read: the account of the connection, and the pages of its lists.
import type { ExchangeState } from '../../http/index.js';
import { invalidArgument } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export interface LiveAccount {
  readonly exchange: LiveExchange;
  readonly parts: Pick<ExchangeState, 'engine' | 'books' | 'history'>;
  readonly name: string;
}

const maxPageLimit = 100;

/** The page of a query, from the parameters after its filter; throws a rejection. */
export function pageOf(params: readonly unknown[]): Page {
  const [offset, limit] = params;
  const isIntegerFrom = (min: number, value: unknown): value is number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min;
  if (params.length !== 2 || !isIntegerFrom(0, offset) || !isIntegerFrom(1, limit) || limit > maxPageLimit)
    throw invalidArgument();
  return { offset, limit };
}

export function onPage<Item>(items: readonly Item[], { offset, limit }: Page): Item[] {
  return items.slice(offset, offset + limit);
}
