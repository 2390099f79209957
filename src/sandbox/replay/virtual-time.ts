// Virtual time: the timers, the clocks and the randomness of the whole process follow a run, and come back at its end.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { install } from '@sinonjs/fake-timers';
import { createRandom, randomUuid } from '../random.js';

const faked = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const),
  ...(['Date', 'performance', 'hrtime'] as const),
];

/** A longer timer fires at once. */
const maxTimerMs = 2 ** 31 - 1;

export class VirtualTime {
  readonly #clock: ReturnType<typeof install>;
  readonly #restore: (() => void)[] = [];
  readonly #turn = setImmediate;
  /** The timers that do not keep the process. */
  readonly #unreferenced = new Set<number>();

  constructor(
    from: number,
    seed: number,
    private readonly onTurn: () => void,
  ) {
    this.#clock = install({ now: Math.floor(from), toFake: [...faked] });
    for (const name of ['setTimeout', 'setInterval'] as const) this.#track(name);
    const random = createRandom(seed);
    const uuid = () => version4(randomUuid(random));
    this.#replace(Math, 'random', random);
    this.#replace(crypto, 'randomUUID', uuid);
    this.#replace(globalThis.crypto, 'randomUUID', uuid);
    this.#replace(AbortSignal, 'timeout', timeoutSignal);
    // Modules that have imported one of these by name get the new one.
    syncBuiltinESMExports();
  }

  get timers(): number {
    return [...(this.#clock.timers?.keys() ?? [])].filter((id) => !this.#unreferenced.has(id)).length;
  }

  /** Lets the time pass until this moment, Unix milliseconds: one timer, then all that follows from it, and so on. */
  async reach(at: number): Promise<void> {
    const wait = { isOver: false };
    const start = () => {
      const ms = Math.min(Math.max(0, at - Date.now()), maxTimerMs);
      this.#clock.setTimeout(() => {
        if (Date.now() < at) start();
        else wait.isOver = true;
      }, ms);
    };
    start();
    for (;;) {
      this.#clock.next();
      if (wait.isOver) return;
      await this.settle();
    }
  }

  /** One native turn of the event loop: promises, ticks, streams and sockets in process are done after it. */
  settle(): Promise<void> {
    this.onTurn();
    return new Promise((resolve) => {
      this.#turn(resolve);
    });
  }

  restore(): void {
    for (const restore of this.#restore.toReversed()) restore();
    this.#clock.uninstall();
    syncBuiltinESMExports();
  }

  /** The fake timers do not know which of them keep the process. */
  #track(name: 'setTimeout' | 'setInterval'): void {
    const make = globalThis[name];
    this.#replace(globalThis, name, (...args: Parameters<typeof setTimeout>) => {
      const timer = make(...args);
      const [unref, ref, id] = [timer.unref.bind(timer), timer.ref.bind(timer), Number(timer)];
      timer.unref = () => {
        this.#unreferenced.add(id);
        return unref();
      };
      timer.ref = () => {
        this.#unreferenced.delete(id);
        return ref();
      };
      return timer;
    });
  }

  #replace(owner: object, name: string, value: unknown): void {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    this.#restore.push(() => {
      if (before === undefined) Reflect.deleteProperty(owner, name);
      else Object.defineProperty(owner, name, before);
    });
  }
}

function version4(uuid: string): `${string}-${string}-${string}-${string}-${string}` {
  const [one = '', two = '', three = '', four = '', five = ''] = uuid.split('-');
  return `${one}-${two}-4${three.slice(1)}-8${four.slice(1)}-${five}`;
}

/** The platform's own has a timer of its own, which no fake timer reaches. */
function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, ms);
  return controller.signal;
}
