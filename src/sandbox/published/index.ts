// The interface that the exchange publishes: paths, methods, fields and rate limits of the sandbox's routes. It is the
// sandbox's own copy, because facts that it shared with the SDK could not show a mistake of the SDK.
import { endpoints, type PublishedEndpoint } from './endpoints.js';

export type { PublishedEndpoint, PublishedField } from './endpoints.js';

/** The path of an endpoint, with the names of its parameters in braces. */
export type PublishedPath = keyof typeof endpoints;

/** Every endpoint that the sandbox serves, by path. */
export const publishedEndpoints: ReadonlyMap<string, PublishedEndpoint> = new Map(Object.entries(endpoints));

/** What is published of an endpoint that the sandbox serves. */
export function publishedEndpoint(path: PublishedPath): PublishedEndpoint {
  return endpoints[path];
}

/** The path and the method of a published endpoint: the beginning of its route. */
export function published<Path extends PublishedPath>(path: Path): { path: Path; method: 'GET' | 'POST' } {
  return { path, method: endpoints[path].method };
}

/** The rate limit of a published endpoint. */
export function publishedLimit(path: string): { readonly limit: number; readonly windowMs: number } {
  const { requests = 10_000, perSeconds = 10 } = publishedEndpoints.get(path) ?? {};
  return { limit: requests, windowMs: perSeconds * 1000 };
}
