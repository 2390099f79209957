// A change that was called and never subscribed has sent nothing, and a warning says so.
import { createExchange, type ExchangeOptions } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { EventEmitter } from 'node:events';
import { lastValueFrom, of } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { CallSite, CallWarnings, type WarnedProcess } from '../../src/call/index.js';
import { callWarnings } from '../../src/client/client-registry.js';
import { collectGarbage, untilCollected } from '../support/collect-garbage.js';

const market = 'BTC_USDT';

/** The warnings of a process while a program runs. */
function watchedProcess() {
  const events = new EventEmitter();
  const warnings: Error[] = [];
  const watched: WarnedProcess = {
    once: (name, listener) => events.once(name, listener),
    emit: (_, warning) => warnings.push(warning),
  };
  return { calls: new CallWarnings(watched), warnings, exit: () => events.emit('exit') };
}

function siteOf(): CallSite {
  return new CallSite(siteOf);
}

/** Many observables of one place, because the engine may hold the last one. */
function leaveMany(calls: CallWarnings): void {
  for (let call = 0; call < 20; call += 1) calls.watch(of(1), 'orders.cancelAll', siteOf());
}

describe('a change without a subscription', () => {
  it('is reported when the process exits, with the line that made it', () => {
    const { calls, warnings, exit } = watchedProcess();
    calls.watch(of(1), 'orders.cancelAll', siteOf());
    expect(warnings).toEqual([]);
    exit();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({
      name: 'ExchangeRxWarning',
      code: 'EXCHANGE_RX_UNSUBSCRIBED',
      message:
        'orders.cancelAll was called and never subscribed, so no request was sent: subscribe to it, or call asPromises(exchange)',
      detail: expect.stringMatching(/^ +at .*unsubscribed-calls\.test\.ts/) as string,
    });
  });

  it('is reported when its observable is garbage', async () => {
    const { calls, warnings } = watchedProcess();
    leaveMany(calls);
    await untilCollected(() => warnings.length > 0);
    expect(warnings).toHaveLength(1);
  });

  it('is not reported while the program holds its observable', async () => {
    const { calls, warnings } = watchedProcess();
    const held$ = of(1);
    calls.watch(held$, 'orders.cancelAll', siteOf());
    collectGarbage();
    await sleep(20);
    expect(warnings).toEqual([]);
    await lastValueFrom(held$);
  });

  it('is reported once for each place', () => {
    const { calls, warnings, exit } = watchedProcess();
    for (const endpoint of ['orders.cancel', 'orders.cancel', 'orders.cancel']) calls.watch(of(1), endpoint, siteOf());
    calls.watch(of(1), 'orders.cancelAll', siteOf());
    exit();
    expect(warnings).toHaveLength(2);
  });

  it('is reported among thousands that were subscribed', () => {
    const { calls, warnings, exit } = watchedProcess();
    calls.watch(of(1), 'orders.cancelAll', siteOf());
    for (let call = 0; call < 3000; call += 1) {
      const site = siteOf();
      calls.watch(of(1), 'orders.cancel', site);
      site.use.isSubscribed = true;
    }
    exit();
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringMatching(/^orders\.cancelAll was called/)]);
  });
});

it('an order that its caller holds is garbage together with its caller', async () => {
  const exchange = createExchange(createSandbox().clientOptions());
  let collected = 0;
  const callers = new FinalizationRegistry(() => (collected += 1));
  class Caller {
    order$: unknown;
    place() {
      const order$ = exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' });
      this.order$ = order$;
      order$.subscribe().unsubscribe();
    }
  }
  for (let index = 0; index < 200; index += 1) {
    const caller = new Caller();
    callers.register(caller, undefined);
    caller.place();
  }
  await untilCollected(() => collected > 150);
});

describe('a client', () => {
  function watchedBy(options: Partial<ExchangeOptions>) {
    const watch = vi.spyOn(callWarnings, 'watch');
    const exchange = createExchange({ ...createSandbox().clientOptions(), ...options });
    exchange.orders.cancelAll({ market }).subscribe();
    exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' }).subscribe();
    exchange.orders.open({ market }).subscribe();
    const names = watch.mock.calls.map(([, endpoint]) => endpoint);
    watch.mockRestore();
    return names;
  }

  it('watches calls that would change something, and no reads', () => {
    expect(watchedBy({})).toEqual(['orders.cancelAll', 'spot.placeStockMarketOrder']);
  });

  it('watches none with warnings: false', () => {
    expect(watchedBy({ warnings: false })).toEqual([]);
  });
});
