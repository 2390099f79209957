// The token of the real-time interface.
import { signed } from '../route.js';

const path = '/api/v4/profile/websocket_token';

export const profileRoutes = [
  signed(path, 'websocketToken', ({ state, account }) => ({ websocket_token: state.liveTokens.issue(account) })),
];
