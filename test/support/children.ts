// Processes of the soak and of the benchmark: each runs a file, and reports by IPC.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type Child = ReturnType<typeof start>;

/** Starts a file with these options; asking fails when it has ended with an error. */
export function start(file: URL, options: object, environment: NodeJS.ProcessEnv = {}) {
  const child = fork(fileURLToPath(file), [JSON.stringify(options)], {
    execArgv: ['--import', 'tsx', '--expose-gc'],
    env: { ...process.env, ...environment },
  });
  const died = once(child, 'exit').then(([code, signal]): never => {
    throw new Error(`${file.pathname} ended: ${String(code ?? signal)}`);
  });
  // Who asks gets the error.
  died.catch(() => undefined);
  return {
    process: child,
    /** Sends a message, if given, and resolves to the next one that comes. */
    async ask<Answer>(message?: object) {
      const answer = once(child, 'message');
      if (message !== undefined) child.send(message);
      const messages: unknown[] = await Promise.race([answer, died]);
      return messages[0] as Answer;
    },
  };
}

export function givenOptions(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}

export function sendToParent(message: object): void {
  process.send?.(message);
}
