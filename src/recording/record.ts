// record(): a recording as an observable, from the lock of its folder to the last line on the disk.
import {
  catchError,
  concatWith,
  defer,
  from,
  map,
  mergeMap,
  NEVER,
  Observable,
  switchMap,
  takeUntil,
  throwError,
} from 'rxjs';
import { anObservable, optionsOf, parse, rule, trueOrFalse } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import { aClient, liveLinesFields, type LiveLinesOptions } from './live-lines.js';
import { openSession, type RecordingProgress } from './session.js';

/** Options of {@link record}. */
export interface RecordOptions extends LiveLinesOptions {
  /**
   * The folder, which is made if it is missing. A recording of the same exchange in it is continued by new files, with a
   * gap before them.
   */
  readonly to: string;
  /**
   * Whether each part of the recording, of about a second, is written through to the disk. It keeps more of a recording
   * when the power fails, and costs time of the disk.
   *
   * @default false
   */
  readonly fsync?: boolean;
  /** The first value ends the recording: the observable completes when everything is on the disk. */
  readonly until?: Observable<unknown>;
}

const recordOptions = optionsOf<RecordOptions>(
  {
    ...liveLinesFields,
    to: rule((value) => typeof value === 'string' && value !== '', 'must be a folder'),
    fsync: trueOrFalse,
    until: anObservable(),
  },
  ['markets', 'to'],
);

/**
 * Records what the exchange pushes, as exact text with the time of receipt, until it is unsubscribed, or `until` emits.
 * The recorder opens connections of its own: no subscription of the program is in the recording, and no credentials are
 * used on them. Emits its progress each second.
 *
 * After an unsubscription, the rest is written within a moment; `until` shows when. A recorder that is killed loses at
 * most its last second; the recording stays readable. A slow disk holds the whole program up: record in a process of
 * its own.
 *
 * Throws {@link RequestError} for invalid options. Fails with {@link RecordingError}: `locked` while another recorder
 * writes to the folder, `disk-full`, `unwritable`, or `other-exchange`. Fails with {@link LiveRefusedError} for a market
 * that the exchange does not list. When it has failed, the folder is unlocked.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 * import { record } from 'exchange-rx/recording';
 * import { fromEvent } from 'rxjs';
 *
 * const recordUntilCtrlC = (exchange: Exchange) =>
 *   record(exchange, { markets: ['BTC_USDT'], to: 'recordings', until: fromEvent(process, 'SIGINT') }).subscribe({
 *     next: ({ frames, gaps }) => console.log(frames, 'frames,', gaps, 'gaps'),
 *     error: (error: unknown) => console.error(error),
 *   });
 * ```
 */
export function record(exchange: Exchange, options: RecordOptions): Observable<RecordingProgress> {
  const { until = NEVER, ...parsed } = parse('record', recordOptions, options);
  parse('record', aClient, exchange.live, 'exchange');
  return new Observable<RecordingProgress>((subscriber) => {
    const opening = openSession(exchange, parsed);
    const progress$ = from(opening).pipe(
      switchMap((session) =>
        session.progress$.pipe(
          takeUntil(until),
          catchError((error: unknown) => from(session.close('failed')).pipe(mergeMap(() => throwError(() => error)))),
          concatWith(defer(() => session.close('stopped')).pipe(map(() => session.progress))),
        ),
      ),
    );
    subscriber.add(progress$.subscribe(subscriber));
    return () => {
      opening.then((session) => session.close('stopped')).catch(() => undefined);
    };
  });
}
