// How a verb runs: with a client of its own, until its observable completes, or Ctrl-C or a closed pipe ends it.
import type { Command } from 'commander';
import { defer, lastValueFrom, mergeMap, Observable, takeUntil, tap, throwError } from 'rxjs';
import { createExchange, type Exchange } from '../exchange.js';
import { clientOptions, type ConnectionOptions } from './client-options.js';
import { Interrupted } from './exit-codes.js';
import type { Output, Terminal } from './terminal/index.js';

export interface CommonOptions extends ConnectionOptions {
  readonly json?: boolean;
}

export interface VerbContext {
  readonly exchange: Exchange;
  /** The same client with `allowWithdrawals`, for a withdrawal that was confirmed. */
  readonly withdrawing: () => Exchange;
  readonly baseUrl: string;
  readonly hasCredentials: boolean;
  readonly terminal: Terminal;
  readonly json: boolean;
  /** Fails with {@link Interrupted} at Ctrl-C; for `takeUntil`. */
  readonly interrupted$: Observable<never>;
}

export interface Runner {
  readonly environment: NodeJS.ProcessEnv;
  /** Prints the outputs of a verb until it completes. Ctrl-C and a closed pipe unsubscribe from it. */
  readonly run: (command: Command, verb: (context: VerbContext) => Observable<Output>) => Promise<void>;
  /** The same for a verb that makes its own client, or none. */
  readonly serve: (command: Command, verb: () => Observable<Output>) => Promise<void>;
  /** The same for a verb that must not be left half done: nothing unsubscribes from it, it handles Ctrl-C itself. */
  readonly runToCompletion: (command: Command, verb: (context: VerbContext) => Observable<Output>) => Promise<void>;
}

export function createRunner(terminal: Terminal, environment: NodeJS.ProcessEnv): Runner {
  const interrupted$ = terminal.interrupts$.pipe(mergeMap(() => throwError(() => new Interrupted())));

  const contextOf = (command: Command): VerbContext => {
    const common = command.optsWithGlobals<CommonOptions>();
    const options = clientOptions(common, environment);
    const withdrawing = () => createExchange({ ...options, allowWithdrawals: true });
    const { json = false } = common;
    const { baseUrl, credentials } = options;
    return {
      ...{ exchange: createExchange(options), withdrawing, baseUrl, hasCredentials: credentials !== undefined },
      ...{ terminal, json, interrupted$ },
    };
  };
  const print = async (command: Command, outputs$: Observable<Output>) => {
    const { json = false } = command.optsWithGlobals<CommonOptions>();
    const printed$ = outputs$.pipe(
      tap((output) => {
        terminal.print(output, json);
      }),
    );
    await lastValueFrom(printed$, { defaultValue: undefined });
  };
  const printUntilEnded = (command: Command, outputs$: Observable<Output>) =>
    print(command, outputs$.pipe(takeUntil(interrupted$), takeUntil(terminal.pipeClosed$)));

  return {
    environment,
    run: (command, verb) =>
      printUntilEnded(
        command,
        defer(() => verb(contextOf(command))),
      ),
    serve: (command, verb) => printUntilEnded(command, defer(verb)),
    runToCompletion: (command, verb) =>
      print(
        command,
        defer(() => verb(contextOf(command))),
      ),
  };
}

export function serveUntilUnsubscribed<Server extends { close(): Promise<void> }>(
  open: () => Promise<Server>,
  describe: (server: Server) => Output,
): Observable<Output> {
  return new Observable((subscriber) => {
    const opened = open();
    opened.then(
      (server) => {
        subscriber.next(describe(server));
      },
      (error: unknown) => {
        subscriber.error(error);
      },
    );
    return () => {
      // The subscriber has received the error of a server that could not open.
      opened.then((server) => server.close()).catch(() => undefined);
    };
  });
}
