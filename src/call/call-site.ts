// The place in the program that made a call. Errors of the call show it instead of frames of this package, and so do
// warnings: of a change that was never subscribed, and of a list that was cut.
import type { Observable } from 'rxjs';
import type { PageDefinition } from '../endpoint/index.js';
import type { CalledFrom } from '../errors/index.js';

/** The caller of a method, and the caller of that: the first may be a function of `asPromises`. */
const maxFrames = 2;
/** A trace takes about 25 µs, so that these take at most 1 % of a core. Further calls of a second have none. */
const maxTracesPerSecond = 400;

type Method = (...args: never) => unknown;

/** The place that made a call. Captured when the call is made, and made a text only when it is read. */
export class CallSite implements CalledFrom {
  /** It holds the functions and objects of its frames until it is a text. */
  readonly #trace: { readonly stack?: unknown } | undefined;
  readonly use = { isSubscribed: false };

  /** @param method the function that was called: the trace begins below it. Default: without a trace */
  constructor(method?: Method) {
    if (method === undefined) return;
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = maxFrames;
    // Two thirds of the cost of Error.captureStackTrace().
    this.#trace = Reflect.construct(Error, [], method) as Error;
    Error.stackTraceLimit = stackTraceLimit;
  }

  /** Empty without a trace. */
  get frames(): string {
    const frames = framesOf(this.#trace?.stack);
    const package_ = folderOf(framesOf(new Error('').stack)[0]);
    const first = frames.findIndex((frame) => package_ === undefined || !frame.includes(package_));
    // A program that is bundled into one file has no other file than this one.
    return frames.slice(Math.max(first, 0)).join('\n');
  }
}

/** A call that was not subscribed in the turn that made it. Holds nothing that could hold its observable. */
interface OpenCall {
  readonly endpoint: string;
  readonly frames: string;
  readonly use: { readonly isSubscribed: boolean };
}

export interface WarnedProcess {
  once(event: 'exit', listener: () => void): unknown;
  emit(event: 'warning', warning: Error): unknown;
}

/** The places of a process that make calls, and the warnings about them: each once for a place. */
export class CallWarnings {
  readonly #process: WarnedProcess;
  /** The calls of this turn: most are subscribed in it. */
  #recent: [call$: Observable<unknown>, endpoint: string, site: CallSite][] = [];
  readonly #open = new Set<OpenCall>();
  readonly #warned = new Set<string>();
  readonly #collected = new FinalizationRegistry<OpenCall>((call) => {
    this.#end(call);
  });
  #isWatching = false;
  #tracesLeft = 0;
  #tracesSince = Number.NEGATIVE_INFINITY;

  constructor(warned: WarnedProcess) {
    this.#process = warned;
  }

  siteOf(method: Method): CallSite {
    if (this.#tracesLeft === 0) {
      const now = performance.now();
      if (Math.abs(now - this.#tracesSince) < 1000) return new CallSite();
      this.#tracesSince = now;
      this.#tracesLeft = maxTracesPerSecond;
    }
    this.#tracesLeft -= 1;
    return new CallSite(method);
  }

  /**
   * Warns when the observable is garbage, or the process exits, before a subscription. An observable that the program
   * still holds may be subscribed later.
   */
  watch(call$: Observable<unknown>, endpoint: string, site: CallSite): void {
    if (this.#recent.push([call$, endpoint, site]) > 1) return;
    queueMicrotask(() => {
      this.#keepOpen();
    });
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#process.once('exit', () => {
      this.#keepOpen();
      for (const open of this.#open) this.#end(open);
    });
  }

  #keepOpen(): void {
    for (const [call$, endpoint, site] of this.#recent) {
      if (site.use.isSubscribed) continue;
      const call: OpenCall = { endpoint, frames: site.frames, use: site.use };
      this.#open.add(call);
      this.#collected.register(call$, call);
    }
    this.#recent = [];
  }

  #end(call: OpenCall): void {
    if (!this.#open.delete(call) || call.use.isSubscribed) return;
    const cure = 'subscribe to it, or call asPromises(exchange)';
    const message = `${call.endpoint} was called and never subscribed, so no request was sent: ${cure}`;
    this.#warn('EXCHANGE_RX_UNSUBSCRIBED', message, call.frames);
  }

  /** Warns of a list with as many items as the exchange lists by default, when the caller gave no `limit`. */
  cut(endpoint: string, { defaultLimit, listAll }: PageDefinition, site: CallSite): void {
    const cure = listAll === undefined ? 'pass limit and offset' : `call ${listAll}, or pass limit`;
    const message = `${endpoint} emitted ${defaultLimit} items, the default of its limit, so there may be more: ${cure}`;
    this.#warn('EXCHANGE_RX_CUT_LIST', message, site.frames);
  }

  #warn(code: string, message: string, frames: string): void {
    const [place = ''] = frames.split('\n');
    if (this.#warned.has(place)) return;
    this.#warned.add(place);
    const warning = Object.assign(new Error(message), { name: 'ExchangeRxWarning', code });
    warning.stack = `${warning.name}: ${message}\n${frames}`;
    // At once: what process.emitWarning() defers is lost while the process exits.
    this.#process.emit('warning', Object.assign(warning, { detail: place }));
  }
}

/** Empty where a hook of the program makes something else of a stack. */
function framesOf(stack: unknown): string[] {
  return typeof stack === 'string' ? stack.split('\n').filter((line) => /^\s+at /.test(line)) : [];
}

/** The folder that has all files of this package. */
function folderOf(frame: string | undefined): string | undefined {
  return frame === undefined ? undefined : /(?:file:\/\/)?\/[^)]*\/(?:dist|src)\//.exec(frame)?.[0];
}
