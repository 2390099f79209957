// The options of createDashboard().
import * as v from 'valibot';
import { optionsOf, rule, trueOrFalse } from '../../errors/index.js';
import { marketNamePattern } from '../../model/market.js';

/** Options of `createDashboard`. */
export interface DashboardOptions {
  /**
   * The market that a page shows first, `BASE_QUOTE`.
   *
   * @default 'BTC_USDT'
   */
  readonly market?: string;
  /**
   * The currency that the account is valued in at first.
   *
   * @default 'USDT'
   */
  readonly currency?: string;
  /**
   * Whether the page can cancel orders and close positions of the account, each after a confirmation. Without it, the
   * server rejects every request but reads, and the try of an exchange that does not respond.
   *
   * @default false
   */
  readonly allowTrading?: boolean;
  /**
   * The secret part of every address of the dashboard, 32 or more hexadecimal digits. Who has it can read the page, and
   * act where `allowTrading` is set.
   *
   * @default a new one of 128 bits
   */
  readonly token?: string;
  /**
   * Host names, without port, by which browsers reach the program's own server. Others are rejected, so that a web page
   * cannot point a name of its own at this server. The names of the machine itself are always accepted.
   *
   * @default []
   */
  readonly hosts?: readonly string[];
  /**
   * Whether latency and the value of the account are recorded while no page is open: a ping each second, and the reads
   * and the live connection of the wallets.
   *
   * @default false
   */
  readonly record?: boolean;
  /**
   * Whether the exchange is a sandbox, which the page says.
   *
   * @default false
   */
  readonly playMoney?: boolean;
}

/** What they may be. */
export const dashboardOptions = optionsOf<DashboardOptions>({
  market: rule(
    (value) => typeof value === 'string' && marketNamePattern.test(value),
    'must be a market such as "BTC_USDT"',
  ),
  currency: rule(
    (value) => typeof value === 'string' && /^[A-Za-z0-9-]+$/.test(value),
    'must be a currency such as "USDT"',
  ),
  allowTrading: trueOrFalse,
  // Not quoted: it is a secret.
  token: v.pipe(v.string('must be a text'), v.regex(/^[0-9a-f]{32,128}$/, 'must be 32 to 128 hexadecimal digits')),
  hosts: v.array(
    v.pipe(v.string('must be a host name'), v.regex(/^[a-z0-9.-]+$/i, 'must be a host name, without port')),
  ),
  record: trueOrFalse,
  playMoney: trueOrFalse,
});
