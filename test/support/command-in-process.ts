// The command `exchange-rx` in the process of the test: with a terminal, an environment and signals of its own.
import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { run } from '../../src/cli/program.js';
import type { HostProcess } from '../../src/cli/terminal/index.js';
import { emptyHome, waitingFor, type Ended, type Environment, type RunningCommand } from './command.js';

/**
 * Starts the command of src. It behaves as a process with only these variables and an empty home directory, on a
 * terminal or not: only there can it ask for confirmation.
 */
export function startInProcess(
  args: readonly string[],
  environment: Environment = {},
  { isTerminal = false } = {},
): RunningCommand {
  const written = { stdout: '', stderr: '' };
  const closed = new Set<'stdout' | 'stderr'>();
  const changes = new EventEmitter().setMaxListeners(0);
  const sink = (name: 'stdout' | 'stderr') =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        if (closed.has(name)) {
          done(new Error('write EPIPE'));
          return;
        }
        written[name] += String(chunk);
        done();
        changes.emit('write');
      },
    });
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
  const host: HostProcess & EventEmitter = Object.assign(new EventEmitter(), {
    stdin,
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: { ...environment },
  });

  // The home directory is a property of the process, and is read when the command starts.
  process.env['HOME'] = environment['HOME'] ?? emptyHome;
  const ended: Promise<Ended> = run(args, host).then((code) => ({ code, ...written }));
  return {
    ended,
    wrote: waitingFor(
      () => written.stdout + written.stderr,
      ended,
      (look) => changes.on('write', look),
    ),
    interrupt: () => host.emit('SIGINT'),
    type: (line) => stdin.write(`${line}\n`),
    closePipe: (output = 'stdout') => closed.add(output),
    kill: (signal) => host.emit(signal),
  };
}

export function runInProcess(args: readonly string[], environment: Environment = {}): Promise<Ended> {
  return startInProcess(args, environment).ended;
}
