// The public endpoints.
import type { World } from '../world.js';

/** A public endpoint's answer. */
export type PublicEndpoint = (world: World) => unknown;

export const ping: PublicEndpoint = () => ['pong'];

export const serverTime: PublicEndpoint = ({ clock }) => ({ time: Math.floor(clock.now() / 1000) });

/** `max_leverage` is a field of the futures, not of the markets, on the live exchange. */
export const markets: PublicEndpoint = ({ engine, dialect }) =>
  engine.markets().map(({ max_leverage, ...market }) => (dialect === 'spec' ? { ...market, max_leverage } : market));
