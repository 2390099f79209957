import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { oneOf, type ParamsOf } from '../fields.js';
import { dataOf } from '../responses.js';
import { accountName, accountParams, rateLimit } from './params.js';

const linkFields = {
  /** Identifies the link. */
  id: t.text,
  /** The public address. */
  link: t.optionalText,
  /** Its name. */
  name: t.optionalText,
  /** The accounts that it shows. */
  accounts: t.optional(t.partOf(t.text)),
  /** What it shows. */
  permissions: t.optional(t.partOf(t.text)),
  /** When it ends, Unix seconds. Absent: never. */
  liveUntil: t.optionalNumber,
  /** When it was made, Unix seconds. */
  createdAt: t.optionalNumber,
};

/** A link by which anybody can watch accounts of the pool. Unknown fields are kept. */
export interface WatcherLink extends t.RecordOf<typeof linkFields> {}

/** Parameters of {@link listWatcherLinks}. */
export interface ListWatcherLinksParams extends ParamsOf<typeof accountParams> {}

/**
 * Lists the active links by which anybody can watch an account.
 *
 * @example
 * ```ts
 * exchange.mining.listWatcherLinks({ account: 'rig' }).subscribe((links) => console.log(links.map(({ name }) => name)));
 * ```
 */
export const listWatcherLinks: Endpoint<ListWatcherLinksParams, WatcherLink[]> = defineEndpoint({
  name: 'mining.listWatcherLinks',
  path: '/api/v4/mining/watcher-links/list',
  rateLimit,
  safety: 'read',
  confidential: true,
  request: v.strictObject(accountParams),
  response: dataOf(t.listOf<WatcherLink>(t.record(linkFields))),
});

const createLinkParams = {
  /** Names of the accounts that it shows. */
  accounts: v.pipe(v.array(accountName, 'must be a list of names'), v.minLength(1, 'must have an account')),
  /** Name: letters, digits and underscores. */
  name: v.pipe(accountName, v.regex(/^\w+$/, 'must be letters, digits and underscores')),
  /** What it shows. */
  permissions: v.pipe(
    v.array(oneOf(['dashboard', 'rewards', 'workers']), 'must be a list of permissions'),
    v.minLength(1, 'must have a permission'),
  ),
  /** How long it works. */
  liveUntil: oneOf(['1h', '24h', '7d', 'always']),
};

/** Parameters of {@link createWatcherLink}. */
export interface CreateWatcherLinkParams extends ParamsOf<typeof createLinkParams> {}

/**
 * Creates a link by which anybody can watch accounts, at most 3 at a time. No request removes it. After a lost response its
 * outcome stays `unknown`: {@link listWatcherLinks} shows it.
 *
 * @example
 * ```ts
 * exchange.mining
 *   .createWatcherLink({ accounts: ['rig'], name: 'family', permissions: ['dashboard'], liveUntil: '24h' })
 *   .subscribe(({ link }) => console.log(link));
 * ```
 */
export const createWatcherLink: Endpoint<CreateWatcherLinkParams, WatcherLink> = defineEndpoint({
  name: 'mining.createWatcherLink',
  path: '/api/v4/mining/watcher-links/create',
  rateLimit,
  safety: 'once',
  confidential: true,
  request: v.strictObject(createLinkParams),
  response: dataOf<WatcherLink>(t.record(linkFields)),
});
