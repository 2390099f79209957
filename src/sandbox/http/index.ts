// The sandbox over HTTP, as the rest of the sandbox uses it.
export { respond, type Respond } from './app.js';
export { bodyTooLarge, maxBodyBytes, readBody, type UnreadBody } from './body.js';
export { customRoute, routeRules, type SandboxRequest, type SandboxRoute } from './custom-route.js';
export { dealRoles, liveStatusOf } from './render.js';
export type { ExchangeState } from './route.js';
export { shorten } from './respond.js';
export { combinedLimits, limitFields, RateLimiter, type SandboxRateLimit } from './rate-limiter.js';
export { assetProfile, networkOf } from './routes/assets.js';
export { routes } from './routes/index.js';
