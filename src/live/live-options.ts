// The options of the live connection.
import { optionsOf, unquoted } from '../errors/index.js';
import { isLoopback } from '../http/index.js';
import { aDepthLimit, type depthLimits } from './channels/depth.js';

/** Options of the live connection. */
export interface LiveOptions {
  /**
   * The address of the live connection, such as `wss://exchange.example/ws`. Plain ws is accepted for loopback addresses
   * only. Default: the base address with `wss` and the path `/ws`; of `https://whitebit.com`, the exchange's own
   * `wss://wss.whitebit.com/ws`; of `https://whitebit.eu`, its `wss://api.whitebit.eu/ws`.
   */
  readonly url?: string;
  /**
   * Number of price levels of each side to which order books are subscribed: 1, 5, 10, 20, 30, 50 or 100. Each subscriber
   * gets the best of them, up to a `limit` of its own. With fewer levels, the exchange sends less. Default 100.
   */
  readonly orderBookLimit?: (typeof depthLimits)[number];
}

/** What {@link LiveOptions} may be. */
export const liveOptions = optionsOf<LiveOptions>({
  url: unquoted(
    (value) => typeof value === 'string' && isSecure(value),
    'must be a URL such as "wss://exchange.example/ws" (plain ws is for loopback addresses only)',
  ),
  orderBookLimit: aDepthLimit(),
});

function isSecure(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'wss:' || (url.protocol === 'ws:' && isLoopback(url));
}

/** The exchange serves its live connections on hosts of their own. */
const ownHosts: Readonly<Record<string, string>> = {
  'https://whitebit.com': 'wss://wss.whitebit.com/ws',
  'https://whitebit.eu': 'wss://api.whitebit.eu/ws',
};

/** The address of the live connection of a base address. */
export function liveUrlOf(baseUrl: string): string {
  return ownHosts[baseUrl] ?? `${baseUrl.replace(/^http/, 'ws')}/ws`;
}
