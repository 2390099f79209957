// Every endpoint of the package, by its name.
import type { OrderSearch, PagedList } from '../../src/endpoint/index.js';
import * as groups from '../../src/endpoints/groups.js';
import type { Client, Endpoint } from 'exchange-rx';
import type { Observable } from 'rxjs';

/** A member of a group: an endpoint, a list that is read page by page, or a lookup of orders. */
export type Member = Endpoint | PagedList | OrderSearch;

export interface NamedMember {
  readonly group: string;
  readonly method: string;
  readonly member: Member;
}

export const members: readonly NamedMember[] = Object.entries<Readonly<Record<string, Member>>>(groups).flatMap(
  ([group, namespace]) => Object.entries(namespace).map(([method, member]) => ({ group, method, member })),
);

export const allEndpoints: readonly Endpoint[] = members.flatMap(({ member }) => ('path' in member ? [member] : []));

/** Calls an endpoint as data from elsewhere come: no type checks the parameters. */
export function callUntyped(client: Client, endpoint: Endpoint, params: unknown): Observable<unknown> {
  const call: (endpoint: Endpoint, params: never) => Observable<unknown> = (one, given) => client.call(one, given);
  // Without parameters, options are the only argument.
  return call(endpoint, params as never);
}
