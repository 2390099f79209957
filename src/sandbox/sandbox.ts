// The embedded exchange: its parts put together behind the public interface.
import { check, checkNames, checkPaths, fields } from './check.js';
import { wait } from './clock.js';
import { accountControls, marketControls } from './controls.js';
import { createLedger } from './create-ledger.js';
import { createState } from './create-state.js';
import { ConnectionFault, faultRules, randomFaultRules } from './faults/index.js';
import { customRoute, readBody, respond as respondTo, routeRules, type Respond } from './http/index.js';
import type { Key } from './keys.js';
import { aChannel, liveFaultRules, randomLiveFaultRules, webSocketClass, type LiveFault } from './live/index.js';
import { listenOn, listenRules, type Listening } from './port/listen.js';
import { createRandom, randomHex } from './random.js';
import type { Sandbox, SandboxClientOptions } from './sandbox-api.js';
import { runProgram } from './replay/index.js';
import { optionRules, runRules, type SandboxOptions } from './sandbox-options.js';

const host = 'sandbox.test';

/**
 * Creates an embedded exchange that behaves as the exchange's specification says.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const sandbox = createSandbox({ seed: 7 });
 * const exchange = createExchange(sandbox.clientOptions());
 * exchange.public.ping().subscribe(() => console.log(sandbox.ledger.requests.length)); // 1
 * ```
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  check('createSandbox', optionRules, options);
  for (const list of ['markets', 'accounts'] as const) checkNames(`createSandbox: ${list}`, options[list] ?? []);
  if (options.follow !== undefined && (options.replay !== undefined || options.clock === 'manual'))
    throw new Error(
      'createSandbox: follow is paper trading in real time: it goes with neither replay nor a manual clock',
    );
  const { seed = 1 } = options;
  const state = createState(options);
  const { clock, engine, gateway, keys, oauth, live, retention, ignoreClientOrderIds, recorded } = state;
  const { replay, follow } = recorded ?? {};
  // Clients of one address share rate limits and nonces: those of a run begin with its time.
  const baseUrl = `https://${recorded === undefined ? 'exchange' : randomHex(Math.random, 12)}.${host}`;
  const { faults, routes } = gateway;
  checkPaths('createSandbox: ignoreClientOrderIds', routes, ignoreClientOrderIds === true ? [] : ignoreClientOrderIds);
  clock.settle = () => {
    engine.advance();
  };
  const respond: Respond = async (request, body) => {
    if (recorded !== undefined && (replay?.clock ?? follow)?.isRunning === true) {
      await recorded.exchange.ready;
      await wait(clock, recorded.latencyMs);
      follow?.check();
    }
    retention.apply(clock.now());
    return respondTo(state, request, body);
  };
  const fetch = inProcessFetch(respond);

  const keyOf = (account?: string): Key => {
    const all = [...keys.values()];
    const key = all.find((known) => account === undefined || known.account === account);
    if (key !== undefined) return key;
    const names = all.map((known) => known.account).join(', ');
    throw new Error(`the sandbox has no account "${account ?? ''}"; its accounts are ${names}`);
  };
  const WebSocket = webSocketClass(live.server, baseUrl);
  let clientCount = 0;
  const clientOptionsFor = (url: string, account?: string): SandboxClientOptions => {
    const { apiKey, apiSecret } = keyOf(account);
    clientCount += 1;
    return { baseUrl: url, credentials: { apiKey, apiSecret }, retry: { random: createRandom(seed + clientCount) } };
  };

  const ports: Listening[] = [];
  const close = async () => {
    follow?.close();
    await Promise.all(ports.splice(0).map((port) => port.close()));
  };

  const clientOptions: Sandbox['clientOptions'] = (account) => ({
    ...{ ...clientOptionsFor(baseUrl, account), fetch, webSocket: WebSocket },
    // The client's own clock continues when the machine's is set, as at the begin of a run.
    ...(replay === undefined ? {} : { now: () => clock.now() }),
  });
  const ledger = createLedger(state, keyOf);
  let hasRun = false;
  follow?.start();

  return {
    close,
    [Symbol.asyncDispose]: close,
    baseUrl,
    fetch,
    WebSocket,
    clock,
    ledger,
    oauthClient: oauth.client,
    clientOptions,
    async listen(portOrOptions = {}) {
      const listenOptions = typeof portOrOptions === 'number' ? { port: portOrOptions } : portOrOptions;
      check('sandbox.listen', listenRules, listenOptions);
      const listening = await listenOn({ respond, live: live.server }, listenOptions);
      ports.push(listening);
      return { ...listening, clientOptions: (account) => clientOptionsFor(listening.baseUrl, account) };
    },
    async run(program, runOptions = {}) {
      check('sandbox.run', runRules, runOptions);
      if (replay === undefined) throw new Error('sandbox.run: the sandbox replays nothing: createSandbox({ replay })');
      if (hasRun) throw new Error('sandbox.run: a sandbox runs one program: create another one for the next run');
      hasRun = true;
      return runProgram({ ...replay, ledger }, () => program(clientOptions()), { seed, ...runOptions });
    },
    account: (name) => accountControls(state, keyOf(name)),
    market: (name) => marketControls(state, name),
    fault(fault) {
      check('sandbox.fault', faultRules, fault);
      checkPaths('sandbox.fault', routes, fault.path === undefined ? [] : [fault.path]);
      faults.add(fault);
    },
    liveFault(fault) {
      check('sandbox.liveFault', liveFaultRules, fault);
      if (fault.market !== undefined) engine.markets.book(fault.market);
      live.server.inject(fault);
    },
    channel(name) {
      check('sandbox.channel', fields({ name: aChannel }), { name });
      return {
        push(params) {
          live.server.push({ channel: name, params });
        },
      };
    },
    randomLiveFaults(random) {
      if (random !== undefined) check('sandbox.randomLiveFaults', randomLiveFaultRules, random);
      live.faults.setRandom(random);
    },
    pendingFaults: () => [...faults.pending, ...live.faults.pending],
    assertNoPendingFaults() {
      const pending = [
        ...faults.pending.map((fault) => ({ ...fault, place: fault.path ?? 'any path' })),
        ...live.faults.pending.map((fault) => ({ ...fault, place: placeOf(fault) })),
      ].map(({ kind, place, times = 1, remaining }) => `${kind} at ${place} (${remaining} of ${times} remaining)`);
      if (pending.length > 0)
        throw new Error(`sandbox.assertNoPendingFaults: these faults are still pending: ${pending.join(', ')}`);
    },
    randomFaults(random) {
      if (random !== undefined) check('sandbox.randomFaults', randomFaultRules, random);
      checkPaths('sandbox.randomFaults', routes, random?.paths ?? []);
      faults.setRandom(random);
    },
    setMaintenance(enabled) {
      gateway.isInMaintenance = enabled;
    },
    route(route) {
      check('sandbox.route', routeRules, route);
      if (routes.has(route.path)) throw new Error(`sandbox.route: the sandbox already has a route ${route.path}`);
      routes.set(route.path, customRoute(route));
    },
  };
}

function placeOf({ channel = 'any channel', market }: LiveFault): string {
  return market === undefined ? channel : `${channel} of ${market}`;
}

function inProcessFetch(respond: Respond): Sandbox['fetch'] {
  return async (input, init) => {
    const request = new Request(input, init);
    // The caller's own signal: a Request's signal follows it only until the Request is garbage-collected.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : request.signal);
    signal.throwIfAborted();
    const arrive = async (arriving: Request) => respond(arriving, await readBody(arriving.body));
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(new DOMException('This operation was aborted', 'AbortError'));
      });
    });
    try {
      return await Promise.race([arrive(request), aborted]);
    } catch (error) {
      throw error instanceof ConnectionFault ? new TypeError('fetch failed', { cause: error }) : error;
    }
  };
}
