// The place in the program that made a call. Errors of the call show it instead of frames of this package.
import type { CalledFrom } from '../errors/index.js';

/** The method of the client, what calls it, and the callers of that. A longer trace costs more for every call. */
const maxFrames = 5;

/** The place that made a call. Captured for every call, and made a text only when it is read. */
export class CallSite implements CalledFrom {
  readonly #trace: { readonly stack?: string } = {};
  /** Called when the call is first subscribed. */
  onSubscribed: (() => void) | undefined;

  /** @param entry the function of this package that the program called; its frame and those above are left out */
  constructor(entry: (...args: never) => unknown) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = maxFrames;
    Error.captureStackTrace(this.#trace, entry);
    Error.stackTraceLimit = stackTraceLimit;
  }

  subscribed(): void {
    this.onSubscribed?.();
    this.onSubscribed = undefined;
  }

  get frames(): string {
    const frames = framesOf(this.#trace.stack);
    const package_ = folderOf(framesOf(new Error('').stack)[0]);
    const first = frames.findIndex((frame) => package_ === undefined || !frame.includes(package_));
    // A program that is bundled into one file has no other file than this one.
    return frames.slice(Math.max(first, 0)).join('\n');
  }
}

function framesOf(stack = ''): string[] {
  return stack.split('\n').filter((line) => /^\s+at /.test(line));
}

/** The folder that has all files of this package. */
function folderOf(frame: string | undefined): string | undefined {
  return frame === undefined ? undefined : /(?:file:\/\/)?\/[^)]*\/(?:dist|src)\//.exec(frame)?.[0];
}
