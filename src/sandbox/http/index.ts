// The sandbox over HTTP, as the rest of the sandbox uses it.
export { createApp, type App } from './app.js';
export { bodyTooLarge, maxBodyBytes, readBody, type UnreadBody } from './body.js';
export type { SandboxRequest, SandboxRoute } from './custom-route.js';
export { liveStatusOf } from './render.js';
export type { ExchangeState } from './exchange-state.js';
export { shorten } from './request-log.js';
export { limitFields, RateLimiter, type SandboxRateLimit } from './rate-limiter.js';
export { defaultLimits, type SandboxRateLimitName } from './routes/index.js';
