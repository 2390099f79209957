// OAuth 2.0: new tokens for a refresh token.
import type { FieldErrors } from '../../../model/error-body.js';
import { publishedEndpoint } from '../../published/index.js';
import type { ExchangeState } from '../exchange-state.js';
import { type ArrivedRequest, jsonResponse, open } from '../route.js';

const path = '/oauth2/refresh_token';

export const oauthRoutes = [open(path, 'oauth', refreshToken)];

function refreshToken({ oauth }: ExchangeState, { body }: ArrivedRequest): Response {
  const form = new URLSearchParams(body);
  const missing = publishedEndpoint(path).required.filter((field) => (form.get(field) ?? '') === '');
  if (missing.length > 0) {
    const errors: FieldErrors = Object.fromEntries(
      missing.map((field) => [field, [`The ${field} field is required.`]]),
    );
    return jsonResponse(422, { errors });
  }
  const token = oauth.refresh(form.get('client_id') ?? '', form.get('client_secret') ?? '', form.get('token') ?? '');
  return token === undefined
    ? jsonResponse(400, { data: { token: ['Invalid token.'] } })
    : jsonResponse(200, { data: token });
}
