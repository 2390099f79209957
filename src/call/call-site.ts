// The place in the program that made a call. Errors of the call show it instead of frames of this package, and so does
// the warning of a change that was never subscribed.
import type { Observable } from 'rxjs';
import type { CalledFrom } from '../errors/index.js';

/** The method of the client, what calls it, and the callers of that. A longer trace costs more for every call. */
const maxFrames = 5;

/** The place that made a call. Captured for every call, and made a text only when it is read. */
export class CallSite implements CalledFrom {
  readonly #trace: { readonly stack?: string } = {};
  /** Whether the call was subscribed. */
  isSubscribed = false;

  /** @param entry the function of this package that the program called; its frame and those above are left out */
  constructor(entry: (...args: never) => unknown) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = maxFrames;
    Error.captureStackTrace(this.#trace, entry);
    Error.stackTraceLimit = stackTraceLimit;
  }

  get frames(): string {
    const frames = framesOf(this.#trace.stack);
    const package_ = folderOf(framesOf(new Error('').stack)[0]);
    const first = frames.findIndex((frame) => package_ === undefined || !frame.includes(package_));
    // A program that is bundled into one file has no other file than this one.
    return frames.slice(Math.max(first, 0)).join('\n');
  }
}

interface OpenCall {
  /** Name of the endpoint. */
  readonly endpoint: string;
  readonly site: CallSite;
}

/** Node's events of a process, as far as they are used. */
export interface WarnedProcess {
  once(event: 'exit', listener: () => void): unknown;
  emit(event: 'warning', warning: Error): unknown;
}

/** How many calls are kept before those that were subscribed are dropped. */
const minSwept = 1000;

/** The calls of a process that have no subscription yet. */
export class UnsubscribedCalls {
  readonly #process: WarnedProcess;
  readonly #open = new Set<OpenCall>();
  /** The places that a warning has named. */
  readonly #warned = new Set<string>();
  readonly #collected = new FinalizationRegistry<OpenCall>((call) => {
    this.#end(call);
  });
  #maxOpen = minSwept;
  #isWatching = false;

  constructor(warned: WarnedProcess) {
    this.#process = warned;
  }

  /**
   * Warns when the observable is garbage, or the process exits, before a subscription. An observable that the program
   * still holds may be subscribed later.
   */
  watch(call$: Observable<unknown>, endpoint: string, site: CallSite): void {
    const call: OpenCall = { endpoint, site };
    this.#open.add(call);
    this.#collected.register(call$, call);
    if (this.#open.size > this.#maxOpen) this.#sweep();
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#process.once('exit', () => {
      for (const open of this.#open) this.#end(open);
    });
  }

  /** A subscription only sets a flag: most calls are subscribed at once. */
  #sweep(): void {
    for (const call of this.#open) if (call.site.isSubscribed) this.#open.delete(call);
    this.#maxOpen = Math.max(minSwept, 2 * this.#open.size);
  }

  #end(call: OpenCall): void {
    if (!this.#open.delete(call) || call.site.isSubscribed) return;
    const { endpoint, site } = call;
    const { frames } = site;
    if (this.#warned.has(frames)) return;
    this.#warned.add(frames);
    const message = `${endpoint} was called and never subscribed, so no request was sent: subscribe to it, or call asPromises(exchange)`;
    const warning = Object.assign(new Error(message), { name: 'ExchangeRxWarning', code: 'EXCHANGE_RX_UNSUBSCRIBED' });
    warning.stack = `${warning.name}: ${message}\n${frames}`;
    // At once: what process.emitWarning() defers is lost while the process exits.
    this.#process.emit('warning', Object.assign(warning, { detail: frames.split('\n')[0] }));
  }
}

function framesOf(stack = ''): string[] {
  return stack.split('\n').filter((line) => /^\s+at /.test(line));
}

/** The folder that has all files of this package. */
function folderOf(frame: string | undefined): string | undefined {
  return frame === undefined ? undefined : /(?:file:\/\/)?\/[^)]*\/(?:dist|src)\//.exec(frame)?.[0];
}
