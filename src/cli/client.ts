// Where the command's client comes from: the environment, a file that only its owner can read, or a sandbox of its own. Never from
// arguments: other users of the machine can read those.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Credentials } from '../auth/index.js';
import type { ExchangeOptions } from '../exchange.js';
import { createSandbox } from '../sandbox/index.js';
import { exitCodes, UsageError } from './exit-codes.js';

/** What the command line says of the exchange to talk to. */
export interface ClientChoice {
  readonly sandbox?: boolean;
  readonly baseUrl?: string;
  readonly credentialsFile?: string;
}

const fileSchema = v.strictObject({
  baseUrl: v.exactOptional(v.string()),
  apiKey: v.string(),
  apiSecret: v.string(),
});

type CredentialsFile = v.InferOutput<typeof fileSchema>;

/** The options of the client; throws {@link UsageError} when there is no address, or when the credentials are not safe or not whole. */
export function clientOptions(choice: ClientChoice, environment: NodeJS.ProcessEnv): ExchangeOptions {
  if (choice.sandbox === true) return createSandbox().clientOptions();
  const { EXCHANGE_BASE_URL, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret } = environment;
  if ((apiKey === undefined) !== (apiSecret === undefined)) {
    throw new UsageError('EXCHANGE_API_KEY and EXCHANGE_API_SECRET belong together: one of them is missing', exitCodes.credentials);
  }
  const file = apiKey === undefined ? credentialsFile(choice, environment) : undefined;
  const baseUrl = choice.baseUrl ?? EXCHANGE_BASE_URL ?? file?.baseUrl;
  if (baseUrl === undefined) {
    throw new UsageError('which exchange? Set EXCHANGE_BASE_URL, give --base-url, or try it on the embedded one with --sandbox');
  }
  const credentials: Credentials | undefined = apiKey === undefined || apiSecret === undefined ? file : { apiKey, apiSecret };
  return { baseUrl, ...(credentials === undefined ? {} : { credentials: { apiKey: credentials.apiKey, apiSecret: credentials.apiSecret } }) };
}

/** Whether the environment or the command line names an exchange. */
export function namesExchange(choice: ClientChoice, environment: NodeJS.ProcessEnv): boolean {
  const { EXCHANGE_BASE_URL, EXCHANGE_API_KEY, EXCHANGE_CREDENTIALS_FILE } = environment;
  const named = [choice.baseUrl, choice.credentialsFile, EXCHANGE_BASE_URL, EXCHANGE_API_KEY, EXCHANGE_CREDENTIALS_FILE];
  return named.some((name) => name !== undefined) || existsSync(defaultFile());
}

const defaultFile = () => join(homedir(), '.config/exchange-rx/credentials.json');

function credentialsFile(choice: ClientChoice, environment: NodeJS.ProcessEnv): CredentialsFile | undefined {
  const named = choice.credentialsFile ?? environment['EXCHANGE_CREDENTIALS_FILE'];
  const path = named ?? defaultFile();
  if (!existsSync(path)) {
    if (named === undefined) return undefined;
    throw new UsageError(`${path}: there is no such file`, exitCodes.credentials);
  }
  const others = 0o077;
  if (process.platform !== 'win32' && (statSync(path).mode & others) !== 0) {
    throw new UsageError(`${path}: others can read it. Make it yours alone: chmod 600 ${path}`, exitCodes.credentials);
  }
  // What is wrong is told without a word of what the file holds.
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), fileSchema), readFileSync(path, 'utf8'));
  if (!parsed.success) throw new UsageError(`${path}: must be JSON with "apiKey", "apiSecret" and, if you like, "baseUrl"`, exitCodes.credentials);
  return parsed.output;
}
