// The options of the command's client: from the environment, from a file that only its owner can read, or of an embedded
// sandbox. Never from arguments, because other users of the machine can read those.
import type { Credentials } from '../auth/index.js';
import { ClientRegistry } from '../client/index.js';
import type { ExchangeOptions } from '../exchange.js';
import { createSandbox, type Sandbox, type SandboxOptions } from '../sandbox/index.js';
import { defaultCredentialsFile, fileExists, readCredentialsFile, type CredentialsFile } from './credentials-file.js';
import { exitCodes, UsageError } from './exit-codes.js';

export interface ConnectionOptions {
  readonly sandbox?: boolean;
  readonly baseUrl?: string;
  readonly credentialsFile?: string;
  readonly proxy?: string;
  readonly liveUrl?: string;
}

/**
 * The options of the client. Throws {@link UsageError} when there is no base URL, or when the credentials are incomplete
 * or unsafe. The command line takes precedence over the environment. The key of a file goes to the file's base URL, unless
 * the command line has another.
 */
export function clientOptions(connection: ConnectionOptions, environment: NodeJS.ProcessEnv): ExchangeOptions {
  if (connection.sandbox === true) return openSandbox().clientOptions();
  const fromEnvironment = connection.credentialsFile === undefined ? environmentCredentials(environment) : undefined;
  const fromFile = fromEnvironment === undefined ? credentialsFile(connection, environment) : undefined;
  const baseUrl = connection.baseUrl ?? fromFile?.baseUrl ?? variable(environment, 'EXCHANGE_BASE_URL');
  if (baseUrl === undefined) {
    throw new UsageError(
      'no exchange: set EXCHANGE_BASE_URL, pass --base-url, or use the embedded exchange with --sandbox',
    );
  }
  const credentials = fromEnvironment ?? fromFile;
  return {
    baseUrl,
    // The command has one client. Two commands that a test runs in one process share no limits and no nonces.
    registry: new ClientRegistry(),
    // An order that its user does not confirm is not subscribed.
    warnings: false,
    ...(connection.proxy === undefined ? {} : { proxy: connection.proxy }),
    ...(connection.liveUrl === undefined ? {} : { live: { url: connection.liveUrl } }),
    ...(credentials === undefined
      ? {}
      : { credentials: { apiKey: credentials.apiKey, apiSecret: credentials.apiSecret } }),
  };
}

export function isExchangeNamed(connection: ConnectionOptions, environment: NodeJS.ProcessEnv): boolean {
  const variables = ['EXCHANGE_BASE_URL', 'EXCHANGE_API_KEY', 'EXCHANGE_CREDENTIALS_FILE'].map((name) =>
    variable(environment, name),
  );
  const named = [connection.baseUrl, connection.credentialsFile, ...variables];
  const path = defaultCredentialsFile();
  return named.some((name) => name !== undefined) || (path !== undefined && fileExists(path));
}

/** A restarted program may look up an order of an earlier run this long; a lookup of a forgotten order finds nothing. */
const defaultRetentionMs = 3_600_000;

/** The embedded exchange, with a bound on what it keeps: the command may run for days. */
export function openSandbox(options: SandboxOptions = {}): Sandbox {
  return createSandbox({ retentionMs: defaultRetentionMs, ...options });
}

/** The value of a variable; an empty one counts as not set. */
function variable(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}

function environmentCredentials(environment: NodeJS.ProcessEnv): Credentials | undefined {
  const apiKey = variable(environment, 'EXCHANGE_API_KEY');
  const apiSecret = variable(environment, 'EXCHANGE_API_SECRET');
  if (apiKey === undefined && apiSecret === undefined) return undefined;
  if (apiKey !== undefined && apiSecret !== undefined) return { apiKey, apiSecret };
  const missing = apiKey === undefined ? 'EXCHANGE_API_KEY' : 'EXCHANGE_API_SECRET';
  throw new UsageError(
    `${missing} is not set: set both EXCHANGE_API_KEY and EXCHANGE_API_SECRET`,
    exitCodes.credentials,
  );
}

function credentialsFile(connection: ConnectionOptions, environment: NodeJS.ProcessEnv): CredentialsFile | undefined {
  const named = connection.credentialsFile ?? variable(environment, 'EXCHANGE_CREDENTIALS_FILE');
  if (named !== undefined) return readCredentialsFile(named);
  const path = defaultCredentialsFile();
  return path === undefined || !fileExists(path) ? undefined : readCredentialsFile(path);
}
