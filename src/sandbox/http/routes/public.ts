// The platform: status, time, markets and mining pool; and OAuth 2.0, new tokens for a refresh token.
import type { FieldErrors } from '../../../model/error-body.js';
import { miningPool } from '../../sample-accounts.js';
import { publishedFields } from '../../published.js';
import type { ExchangeState } from '../exchange-state.js';
import { type ArrivedRequest, jsonResponse, open } from '../route.js';

const refreshPath = '/oauth2/refresh_token';

export const publicRoutes = [
  open('/api/v4/public/ping', 'public', () => ['pong']),
  open('/api/v4/public/time', 'public', ({ clock }) => ({ time: Math.floor(clock.now() / 1000) })),
  open('/api/v4/public/platform/status', 'public', platformStatus, { duringMaintenance: true }),
  open('/api/v4/public/markets', 'public', ({ engine }) => engine.markets()),
  open('/api/v4/public/mining-pool', 'miningPool', ({ registry, clock }) => ({
    data: miningPool(registry.miningAccounts.length, clock.now()),
  })),
  open(refreshPath, 'oauth', refreshToken),
];

function platformStatus({ gateway }: ExchangeState) {
  return { status: gateway.isInMaintenance ? 'system maintenance' : 'system operational' };
}

function refreshToken({ registry }: ExchangeState, { body }: ArrivedRequest): Response {
  const form = new URLSearchParams(body);
  const missing = publishedFields(refreshPath).required.filter((field) => (form.get(field) ?? '') === '');
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
