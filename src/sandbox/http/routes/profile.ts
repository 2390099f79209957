// The token of the real-time interface.
import { published, publishedLimit } from '../../published/index.js';
import { routeGroup } from '../route.js';

const path = '/api/v4/profile/websocket_token';

export const profileGroup = routeGroup({
  rateLimits: { websocketToken: publishedLimit(path) },
  routes: [
    {
      ...published(path),
      rateLimit: 'websocketToken',
      authentication: 'signed',
      respond: ({ state, account }) => ({ websocket_token: state.liveTokens.issue(account) }),
    },
  ],
});
