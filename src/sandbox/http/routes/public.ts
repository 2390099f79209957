// Public endpoints about the platform: status, time and markets.
import { published } from '../../published/index.js';
import { combinedLimits } from '../combined-limits.js';
import { routeGroup } from '../route.js';

export const publicGroup = routeGroup({
  rateLimits: {
    public: combinedLimits.public,
  },
  routes: [
    {
      ...published('/api/v4/public/ping'),
      rateLimit: 'public',
      authentication: 'none',
      respond: () => ['pong'],
    },
    {
      ...published('/api/v4/public/time'),
      rateLimit: 'public',
      authentication: 'none',
      respond: ({ clock }) => ({ time: Math.floor(clock.now() / 1000) }),
    },
    {
      ...published('/api/v4/public/platform/status'),
      rateLimit: 'public',
      authentication: 'none',
      duringMaintenance: true,
      respond: ({ isInMaintenance }) => ({ status: isInMaintenance ? 'system maintenance' : 'system operational' }),
    },
    {
      ...published('/api/v4/public/markets'),
      rateLimit: 'public',
      authentication: 'none',
      // On the live exchange, `max_leverage` is a field of the futures endpoint instead.
      respond: ({ engine, dialect }) =>
        engine
          .markets()
          .map(({ max_leverage, ...market }) => (dialect === 'spec' ? { ...market, max_leverage } : market)),
    },
  ],
});
