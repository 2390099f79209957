// What the verbs of the command share: the client they are given, and how one is run to its end.
import type { Command } from 'commander';
import { defer, lastValueFrom, mergeMap, takeUntil, tap, throwError, type Observable } from 'rxjs';
import { createExchange, type Exchange } from '../exchange.js';
import { clientOptions, type ClientChoice } from './client.js';
import { Interrupted } from './exit-codes.js';
import type { Report } from './report.js';
import type { Terminal } from './terminal.js';

/** Options that every verb takes. */
export interface CommonOptions extends ClientChoice {
  readonly json?: boolean;
}

/** What a verb works with. */
export interface Tools {
  readonly exchange: Exchange;
  /** The exchange's address. */
  readonly baseUrl: string;
  readonly terminal: Terminal;
  /** Fails with {@link Interrupted} at Ctrl-C; for `takeUntil`. */
  readonly interrupted$: Observable<never>;
}

/** How a verb is run. */
export interface Runner {
  readonly environment: NodeJS.ProcessEnv;
  /** Prints what the verb says, until it ends or Ctrl-C does; a pipe that is closed ends it too. */
  readonly run: (command: Command, verb: (tools: Tools) => Observable<Report>) => Promise<void>;
  /** The same for what needs no client. */
  readonly serve: (command: Command, verb: (terminal: Terminal) => Observable<Report>) => Promise<void>;
  /** The same for a verb that is not to be ended in the middle: it sees to Ctrl-C itself. */
  readonly runToItsEnd: (command: Command, verb: (tools: Tools) => Observable<Report>) => Promise<void>;
}

export function createRunner(terminal: Terminal, environment: NodeJS.ProcessEnv): Runner {
  const interrupted$ = terminal.interrupts$.pipe(mergeMap(() => throwError(() => new Interrupted())));

  const toolsFor = (command: Command): Tools => {
    const options = clientOptions(command.optsWithGlobals<CommonOptions>(), environment);
    return { exchange: createExchange(options), baseUrl: options.baseUrl, terminal, interrupted$ };
  };
  const print = async (command: Command, reports$: Observable<Report>) => {
    const { json = false } = command.optsWithGlobals<CommonOptions>();
    const printed$ = reports$.pipe(
      tap((report) => {
        terminal.print(report, json);
      }),
    );
    await lastValueFrom(printed$, { defaultValue: undefined });
  };
  const printUntilEnded = (command: Command, reports$: Observable<Report>) =>
    print(command, reports$.pipe(takeUntil(interrupted$), takeUntil(terminal.pipeClosed$)));

  return {
    environment,
    run: (command, verb) =>
      printUntilEnded(
        command,
        defer(() => verb(toolsFor(command))),
      ),
    serve: (command, verb) =>
      printUntilEnded(
        command,
        defer(() => verb(terminal)),
      ),
    runToItsEnd: (command, verb) =>
      print(
        command,
        defer(() => verb(toolsFor(command))),
      ),
  };
}
