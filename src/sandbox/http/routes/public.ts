// The platform: status, time, markets and mining pool; and OAuth 2.0, new tokens for a refresh token.
import type { FieldErrors } from '../../../model/error-body.js';
import { miningPool } from '../../sample-accounts.js';
import { jsonResponse, open, per10s, type OpenCall } from '../route.js';

const rateLimit = per10s(2000);

export const publicRoutes = [
  open('/api/v4/public/ping', () => ['pong'], { rateLimit }),
  open('/api/v4/public/time', ({ state: { clock } }) => ({ time: Math.floor(clock.now() / 1000) }), { rateLimit }),
  open('/api/v4/public/platform/status', platformStatus, { duringMaintenance: true }),
  open('/api/v4/public/markets', ({ state }) => state.engine.markets(), { rateLimit }),
  open('/api/v4/public/mining-pool', pool, { rateLimit: per10s(1000) }),
  open('/oauth2/refresh_token', refreshToken, { rateLimit: { limit: 1, windowMs: 1000 } }),
];

function platformStatus({ state }: OpenCall) {
  return { status: state.gateway.isInMaintenance ? 'system maintenance' : 'system operational' };
}

function pool({ state: { registry, clock } }: OpenCall) {
  return { data: miningPool(registry.mining.samples.length, clock.now()) };
}

function refreshToken({ state: { registry }, request }: OpenCall): Response {
  const form = new URLSearchParams(request.body);
  const missing = ['client_id', 'client_secret', 'token'].filter((field) => (form.get(field) ?? '') === '');
  if (missing.length > 0) {
    const errors: FieldErrors = Object.fromEntries(
      missing.map((field) => [field, [`The ${field} field is required.`]]),
    );
    return jsonResponse(422, { errors });
  }
  const token = registry.oauth.refresh(
    form.get('client_id') ?? '',
    form.get('client_secret') ?? '',
    form.get('token') ?? '',
  );
  return token === undefined
    ? jsonResponse(400, { data: { token: ['Invalid token.'] } })
    : jsonResponse(200, { data: token });
}
