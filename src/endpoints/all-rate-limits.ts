// The rate limits of all endpoints, each once.
import type { Endpoint, OrderSearch, PagedList, RateLimit } from '../endpoint/index.js';
import * as groups from './groups.js';

type Member = Endpoint | PagedList | OrderSearch;

/** The rate limits of all endpoints of the package, each once. */
export function allRateLimits(): readonly RateLimit[] {
  const members = Object.values<Readonly<Record<string, Member>>>(groups).flatMap((group) => Object.values(group));
  const rateLimits = members.flatMap((member) => ('rateLimits' in member ? member.rateLimits : []));
  return [...new Map(rateLimits.map((rateLimit) => [rateLimit.name, rateLimit])).values()];
}
