// The sandbox over HTTP, as the rest of the sandbox uses it.
export { bodyTooLarge, maxBodyBytes, readBody, respond, type Respond, type UnreadBody } from './app.js';
export { customRoute, routeRules, type SandboxRequest, type SandboxRoute } from './custom-route.js';
export { dealRoles, liveStatusOf } from './render.js';
export type { ExchangeState } from './route.js';
export { shorten } from './respond.js';
export { combinedLimits, defaultLimit, limitFields, RateLimiter, type SandboxRateLimit } from './rate-limiter.js';
export { positionValuesOf } from './routes/account.js';
export { assetProfile, networkOf } from './routes/assets.js';
export { routes } from './routes/index.js';
