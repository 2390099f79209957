// Public endpoints about the platform: status, time and markets.
import type { ExchangeState } from '../exchange-state.js';
import { open } from '../route.js';

export const publicRoutes = [
  open('/api/v4/public/ping', 'public', () => ['pong']),
  open('/api/v4/public/time', 'public', ({ clock }) => ({ time: Math.floor(clock.now() / 1000) })),
  open('/api/v4/public/platform/status', 'public', platformStatus, { duringMaintenance: true }),
  open('/api/v4/public/markets', 'public', markets),
];

function platformStatus({ isInMaintenance }: ExchangeState) {
  return { status: isInMaintenance ? 'system maintenance' : 'system operational' };
}

/** On the live exchange, `max_leverage` is a field of the futures endpoint instead. */
function markets({ engine, dialect }: ExchangeState) {
  return engine
    .markets()
    .map(({ max_leverage, ...market }) => (dialect === 'spec' ? { ...market, max_leverage } : market));
}
