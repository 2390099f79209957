// `npm start`: a bot on an embedded exchange, drawn live, for 20 s or until Ctrl-C.
import { merge, share, skip, take, timer } from 'rxjs';
import { tradeOnSandbox } from './demo/sandbox-demo.js';
import { exitCodes } from './exit-codes.js';
import { createTerminal, describeError } from './terminal/index.js';

const defaultSeconds = 20;

const terminal = createTerminal(process);
// The subscription also keeps the listener of the signal: the Ctrl-C that npm forwards must not end the process before
// the summary.
terminal.interrupts$.pipe(skip(1)).subscribe(() => process.exit(exitCodes.interrupted));

const seconds = Number(process.env['DEMO_SECONDS'] ?? defaultSeconds);
const stop$ = merge(timer(seconds * 1000), terminal.interrupts$).pipe(take(1), share());
try {
  if (!(await tradeOnSandbox(terminal, stop$))) process.exitCode = exitCodes.failed;
} catch (error) {
  terminal.log(describeError(error));
  process.exitCode = exitCodes.failed;
}
