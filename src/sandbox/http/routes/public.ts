// The platform: status, time, and markets; and OAuth 2.0, new tokens for a refresh token.
import { unixSeconds } from '../../clock.js';
import { per10s } from '../rate-limiter.js';
import { jsonResponse, open, type Call } from '../route.js';

export const publicRoutes = [
  open('/api/v4/public/ping', () => ['pong']),
  open('/api/v4/public/time', ({ state: { clock } }) => ({ time: unixSeconds(clock.now()) })),
  open('/api/v4/public/platform/status', platformStatus, { rateLimit: per10s(10_000), duringMaintenance: true }),
  open('/api/v4/public/markets', markets),
  open('/oauth2/refresh_token', refreshToken, { rateLimit: { limit: 1, windowMs: 1000 } }),
];

function platformStatus({ state }: Call) {
  return { status: state.gateway.isInMaintenance ? 'system maintenance' : 'system operational' };
}

function markets({ state }: Call) {
  return state.engine.views().map(({ listing, tradesEnabled }) => {
    const { startPrice: _startPrice, depth: _depth, maxLeverage: _maxLeverage, ...rules } = listing;
    const { stockPrec, moneyPrec, feePrec } = rules;
    return {
      ...rules,
      ...{ stockPrec: String(stockPrec), moneyPrec: String(moneyPrec), feePrec: String(feePrec) },
      ...{ tradesEnabled, isTradFiFutures: false, delistedAt: null },
    };
  });
}

function refreshToken({ state, request }: Call): Response {
  const form = new URLSearchParams(request.body);
  const names = ['client_id', 'client_secret', 'token'];
  const [id = '', secret = '', given = ''] = names.map((name) => form.get(name) ?? '');
  const missing = names.filter((name) => (form.get(name) ?? '') === '');
  if (missing.length > 0) {
    const errors = missing.map((name) => [name, [`The ${name} field is required.`]] as const);
    return jsonResponse(422, { errors: Object.fromEntries(errors) });
  }
  const token = state.oauth.refresh(id, secret, given);
  return token === undefined
    ? jsonResponse(400, { data: { token: ['Invalid token.'] } })
    : jsonResponse(200, { data: token });
}
