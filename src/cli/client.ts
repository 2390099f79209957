// Where the command's client comes from: the environment, a file that only its owner can read, or a sandbox of its own.
// Never from arguments: other users of the machine can read those.
import type { Credentials } from '../auth/index.js';
import type { ExchangeOptions } from '../exchange.js';
import { defaultCredentialsFile, isThere, readCredentialsFile, type CredentialsFile } from './credentials-file.js';
import { exitCodes, UsageError } from './exit-codes.js';
import { openSandbox } from './open-sandbox.js';

/** What the command line says of the exchange to talk to. */
export interface ClientChoice {
  readonly sandbox?: boolean;
  readonly baseUrl?: string;
  readonly credentialsFile?: string;
}

/**
 * The options of the client; throws {@link UsageError} when there is no address, or when the credentials are not safe
 * or not whole. What the command line names goes before the environment. A key goes to the address that stands beside
 * it, unless the command line names another.
 */
export function clientOptions(choice: ClientChoice, environment: NodeJS.ProcessEnv): ExchangeOptions {
  if (choice.sandbox === true) return openSandbox().clientOptions();
  const named = choice.credentialsFile === undefined ? environmentCredentials(environment) : undefined;
  const file = named === undefined ? credentialsFile(choice, environment) : undefined;
  const baseUrl = choice.baseUrl ?? file?.baseUrl ?? given(environment, 'EXCHANGE_BASE_URL');
  if (baseUrl === undefined) {
    throw new UsageError(
      'which exchange? Set EXCHANGE_BASE_URL, give --base-url, or try it on the embedded one with --sandbox',
    );
  }
  const credentials = named ?? file;
  return {
    baseUrl,
    ...(credentials === undefined
      ? {}
      : { credentials: { apiKey: credentials.apiKey, apiSecret: credentials.apiSecret } }),
  };
}

/** A variable that is empty is not set. */
function given(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}

function environmentCredentials(environment: NodeJS.ProcessEnv): Credentials | undefined {
  const apiKey = given(environment, 'EXCHANGE_API_KEY');
  const apiSecret = given(environment, 'EXCHANGE_API_SECRET');
  if (apiKey === undefined && apiSecret === undefined) return undefined;
  if (apiKey !== undefined && apiSecret !== undefined) return { apiKey, apiSecret };
  throw new UsageError(
    'EXCHANGE_API_KEY and EXCHANGE_API_SECRET belong together: one of them is missing',
    exitCodes.credentials,
  );
}

/** Whether the environment or the command line names an exchange. */
export function namesExchange(choice: ClientChoice, environment: NodeJS.ProcessEnv): boolean {
  const variables = ['EXCHANGE_BASE_URL', 'EXCHANGE_API_KEY', 'EXCHANGE_CREDENTIALS_FILE'].map((name) =>
    given(environment, name),
  );
  const named = [choice.baseUrl, choice.credentialsFile, ...variables];
  const path = defaultCredentialsFile();
  return named.some((name) => name !== undefined) || (path !== undefined && isThere(path));
}

function credentialsFile(choice: ClientChoice, environment: NodeJS.ProcessEnv): CredentialsFile | undefined {
  const named = choice.credentialsFile ?? given(environment, 'EXCHANGE_CREDENTIALS_FILE');
  if (named !== undefined) return readCredentialsFile(named);
  const path = defaultCredentialsFile();
  return path === undefined || !isThere(path) ? undefined : readCredentialsFile(path);
}
