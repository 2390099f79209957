// The sandbox over HTTP: it finds the route of a request, and rejects requests that no route takes.
import { Hono } from 'hono';
import type { UnreadBody } from './body.js';
import { customRoute, type SandboxRoute } from './custom-route.js';
import { routerPath } from '../path-template.js';
import type { ExchangeState } from './exchange-state.js';
import { logUnrouted, shorten } from './request-log.js';
import { jsonResponse, type Route } from './route.js';
import { routes as builtInRoutes } from './routes/index.js';
import { respondWithFaults } from './with-faults.js';

export interface App {
  /** Responds to a request and logs it; rejects with a ConnectionFault when a fault loses the connection. */
  readonly respond: (request: Request, body: string | UnreadBody) => Promise<Response>;
  readonly paths: () => readonly string[];
  readonly add: (route: SandboxRoute) => void;
}

export function createApp(state: ExchangeState): App {
  const routes = new Map(builtInRoutes.map((route) => [route.path, route]));
  // Hono accepts no routes after its first response, so each added route creates a new router.
  let router = routerOf(state, routes);
  return {
    paths: () => [...routes.keys()],
    add(route) {
      if (routes.has(route.path)) throw new Error(`sandbox.route: the sandbox already has a route ${route.path}`);
      routes.set(route.path, customRoute(route));
      router = routerOf(state, routes);
    },
    async respond(request, body) {
      const response =
        typeof body === 'string' ? await router.fetch(request, { body }) : rejectUnread(state, routes, request, body);
      response.headers.set('date', new Date(state.clock.now()).toUTCString());
      return response;
    },
  };
}

/** Rejects a request whose body was not read: it reaches no route, meets no fault and counts in no rate limit. */
function rejectUnread(
  state: ExchangeState,
  routes: ReadonlyMap<string, Route>,
  request: Request,
  { status, message }: UnreadBody,
): Response {
  const { pathname: path } = new URL(request.url);
  logUnrouted(state, { method: request.method, path, rateLimit: routes.get(path)?.rateLimit }, status);
  return jsonResponse(status, { message });
}

interface Bindings {
  readonly body: string;
}

function routerOf(state: ExchangeState, routes: ReadonlyMap<string, Route>): Hono<{ Bindings: Bindings }> {
  const router = new Hono<{ Bindings: Bindings }>();
  // A lost connection is not a response: the holder of the connection handles it.
  router.onError((error) => {
    throw error;
  });
  for (const [path, route] of routes) {
    router.all(routerPath(path), ({ req, env: { body } }) => {
      const { method, rateLimit } = route;
      if (req.method !== method) {
        logUnrouted(state, { method: req.method, path: req.path, rateLimit }, 405);
        const message = `${path} of the sandbox accepts ${method}, not ${shorten(req.method)}`;
        return jsonResponse(405, { message }, { allow: method });
      }
      const query = new URL(req.url).search.slice(1);
      const { headers } = req.raw;
      const params = req.param();
      return respondWithFaults(state, route, { path: req.path, params, query, headers, body, at: state.clock.now() });
    });
  }
  router.notFound(({ req: { method, path } }) => {
    logUnrouted(state, { method, path }, 404);
    const advice = 'add it with sandbox.route({ method, path, authentication, handle })';
    return jsonResponse(404, { message: `the sandbox has no route ${shorten(method)} ${shorten(path)}: ${advice}` });
  });
  return router;
}
