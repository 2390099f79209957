// A run: a program on the time of a recording, from the first line to the last, and its result.
import { createHash } from 'node:crypto';
import { setImmediate as nativeTurn } from 'node:timers/promises';
import { finalize, lastValueFrom, Subject, takeUntil, type Observable } from 'rxjs';
import { recordedBatches, type Recording } from '../../recording/index.js';
import type { RecordedClock } from '../clock.js';
import type { Ledger } from '../ledger.js';
import type { MarketClosure } from './market-state.js';
import type { RecordedExchange } from './recorded-exchange.js';
import { VirtualTime } from './virtual-time.js';

/** Options of a run. */
export interface RunOptions {
  /** Seed of `Math.random` and `crypto.randomUUID` in the run. Default: that of the sandbox. */
  readonly seed?: number;
  /** How long the program goes on after the last line, milliseconds. Default 10000. */
  readonly drainMs?: number;
  /** Whether a run fails when something in it did not follow its time: see {@link RunResult.escapes}. Default false. */
  readonly strict?: boolean;
}

/** The result of a run. */
export interface RunResult {
  /** SHA-256 of the orders, the fills and the changes of balances: equal for equal runs. */
  readonly ledgerHash: string;
  /** Number of lines of the recording that were replayed. */
  readonly lines: number;
  /** Start of the run, Unix milliseconds. */
  readonly from: number;
  /** End of the run, Unix milliseconds. */
  readonly to: number;
  /** When markets were closed, so that orders were neither accepted nor filled. */
  readonly closures: readonly MarketClosure[];
  /**
   * Files and sockets that the program waited for, which do not follow the time of the run, by the names of Node's
   * resources: `FSReqPromise` is a file (Node 26 lists none), `TCPSocketWrap` a connection. A run with escapes may differ from the next one. Work
   * in other threads (zlib, workers, asynchronous crypto) does not follow it either, and is not listed.
   */
  readonly escapes: readonly string[];
  /** Number of the timers that would keep the process after the program was unsubscribed. */
  readonly timersLeft: number;
}

export interface RunParts {
  readonly exchange: RecordedExchange;
  readonly recording: Recording;
  readonly clock: RecordedClock;
  readonly ledger: Ledger;
}

const defaultDrainMs = 10_000;
/** After an unsubscription, connections end within these turns of the event loop. */
const closingTurns = 20;

export async function runProgram(
  { exchange, recording, clock, ledger }: RunParts,
  program: () => Observable<unknown>,
  { seed, drainMs = defaultDrainMs, strict = false }: RunOptions & { readonly seed: number },
): Promise<RunResult> {
  const { from } = recording;
  // Node lists a file's last request until the turn in which it ended is over: those of the recording are no escapes.
  await nativeTurn();
  const escapes = new Escapes();
  const time = new VirtualTime(from, seed, () => {
    escapes.sample();
  });
  clock.start();
  const stop$ = new Subject<void>();
  const state = { lines: 0, isOver: false };
  try {
    const over = finalize(() => {
      state.isOver = true;
    });
    const ended = lastValueFrom(program().pipe(takeUntil(stop$), over), { defaultValue: undefined });
    ended.catch(() => undefined);
    await time.settle();
    replaying: for await (const batch of recordedBatches(recording)) {
      await nativeTurn();
      for (const line of batch) {
        await time.reach(Math.floor(line.t));
        if (state.isOver) break replaying;
        exchange.receive(line);
        state.lines += 1;
        await time.settle();
      }
    }
    await nativeTurn();
    if (!state.isOver) await time.reach(Date.now() + drainMs);
    stop$.next();
    for (let turn = 0; turn < closingTurns; turn += 1) await time.settle();
    await ended;
    const to = Date.now();
    const timersLeft = time.timers;
    const closures = exchange.states().flatMap((state) => state.closures);
    if (strict && escapes.names.length > 0)
      throw new Error(`sandbox.run: ${escapes.names.join(', ')} did not follow the time of the run`);
    return { ledgerHash: hashOf(ledger), lines: state.lines, from, to, closures, escapes: escapes.names, timersLeft };
  } finally {
    clock.stop();
    time.restore();
  }
}

function hashOf({ orders, fills, balanceChanges }: Ledger): string {
  return createHash('sha256').update(JSON.stringify({ orders, fills, balanceChanges })).digest('hex');
}

/**
 * Files and sockets that a program waits for, which do not follow virtual time: the process has more of them than before
 * the run. Node lists no work of its thread pool, such as zlib, and no worker.
 */
class Escapes {
  readonly #before = counts();
  readonly #found = new Set<string>();

  get names(): readonly string[] {
    return [...this.#found].sort();
  }

  /** Called while the run itself waits for nothing. */
  sample(): void {
    for (const [name, count] of counts()) if (count > (this.#before.get(name) ?? 0)) this.#found.add(name);
  }
}

function counts(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) found.set(name, (found.get(name) ?? 0) + 1);
  return found;
}
