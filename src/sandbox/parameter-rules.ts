// What each function of the sandbox accepts.
import * as v from 'valibot';
import { isRecord } from '../model/map.js';
import {
  durationMs,
  fields,
  flag,
  integerFrom,
  isNumber,
  isText,
  list,
  nonEmptyList,
  numberFrom,
  oneOf,
  path,
  positive,
  rule,
  signed,
  text,
} from './check.js';
import { depthFields, marketFields } from './engine/index.js';
import { faultRules, randomFaultRules } from './faults/index.js';
import { defaultLimits, limitFields, type SandboxRoute } from './http/index.js';
import { aChannel, liveFaultRules, randomLiveFaultRules } from './live/index.js';
import type { ListenOptions } from './port/listen.js';
import type { SandboxAccountOptions, SandboxOptions } from './sandbox-api.js';

const wallets = ['main', 'trade', 'collateral'] as const;
const balances = v.record(v.string(), signed);

const accountFields = {
  name: text,
  balances: v.optional(
    fields({ main: v.optional(balances), trade: v.optional(balances), collateral: v.optional(balances) }),
  ),
} satisfies Record<keyof SandboxAccountOptions, v.GenericSchema>;

const rateLimitNames = Object.keys(defaultLimits);
const limit = v.optional(fields(limitFields));

const optionFields = {
  seed: v.optional(integerFrom(0)),
  clock: v.optional(oneOf('real', 'manual')),
  tickMs: v.optional(numberFrom(1)),
  volatility: v.optional(numberFrom(0, 1)),
  history: v.optional(integerFrom(0, 31)),
  markets: v.optional(nonEmptyList(fields(marketFields))),
  historyLagMs: v.optional(durationMs),
  retentionMs: v.optional(rule<number>((value) => isNumber(value) && value > 0, 'must be a number above 0')),
  limits: v.optional(fields(Object.fromEntries(rateLimitNames.map((name) => [name, limit])))),
  accounts: v.optional(nonEmptyList(fields(accountFields))),
  subAccountCount: v.optional(integerFrom(0)),
  miningAccountCount: v.optional(integerFrom(0)),
  ignoreClientOrderIds: v.optional(
    v.union([v.literal(true), v.array(path)], ({ received }) => `${received} must be true, or an array of paths`),
  ),
  unkindSeed: v.optional(integerFrom(0)),
} satisfies Record<keyof SandboxOptions, v.GenericSchema>;

const routeFields = {
  method: oneOf('GET', 'POST'),
  path,
  rateLimit: v.optional(oneOf(...rateLimitNames)),
  authentication: oneOf('none', 'signed'),
  handle: rule((value) => typeof value === 'function', 'must be a function'),
} satisfies Record<keyof SandboxRoute, v.GenericSchema>;

/** An origin in any other notation would match no request. */
const origin = rule<string>(
  (value) => isText(value) && /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value,
  'must be an origin as browsers write it, such as "http://localhost:5173"',
);

const listenFields = {
  port: v.optional(integerFrom(0, 65_535)),
  allowedOrigins: v.optional(list(origin)),
} satisfies Record<keyof ListenOptions, v.GenericSchema>;

export const parameterRules = {
  options: fields(optionFields),
  fault: faultRules,
  liveFault: liveFaultRules,
  channel: fields({ name: aChannel }),
  push: fields({ params: rule((value) => Array.isArray(value) || isRecord(value), 'must be a list or an object') }),
  randomLiveFaults: v.optional(randomLiveFaultRules),
  randomFaults: v.optional(randomFaultRules),
  route: fields(routeFields),
  depth: fields(depthFields),
  deposit: fields({ asset: text, amount: signed, wallet: oneOf(...wallets) }),
  price: fields({ price: positive }),
  enabled: fields({ enabled: flag }),
  paths: fields({ paths: v.optional(list(path)) }),
  listening: fields(listenFields),
} as const;
