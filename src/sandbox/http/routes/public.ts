// Public endpoints.
import { routeGroup } from '../route.js';

export const publicGroup = routeGroup({
  rateLimits: {
    // Spec, Limits: public REST endpoints.
    public: { limit: 2000, windowMs: 10_000 },
  },
  routes: [
    {
      method: 'GET',
      path: '/api/v4/public/ping',
      rateLimit: 'public',
      authentication: 'none',
      respond: () => ['pong'],
    },
    {
      method: 'GET',
      path: '/api/v4/public/time',
      rateLimit: 'public',
      authentication: 'none',
      respond: ({ clock }) => ({ time: Math.floor(clock.now() / 1000) }),
    },
    {
      method: 'GET',
      path: '/api/v4/public/markets',
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
