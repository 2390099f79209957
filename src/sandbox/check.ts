// What a test gives the sandbox, checked: a misspelt option or path would otherwise do nothing, and the test would pass
// without testing anything.
import * as v from 'valibot';
import type { StopOrder } from './engine/engine.js';
import type { Depth, SandboxMarketOptions } from './engine/listing.js';
import { faultKinds, fieldsOfKind, type Fault, type FaultKind, type RandomFaults } from './http/faults.js';
import { defaultLimits, type SandboxLimit } from './http/rate-limits.js';
import type { SandboxRoute } from './http/route.js';
import type { ListenOptions, Outage, SandboxAccountOptions, SandboxOptions } from './sandbox-api.js';

/** Throws an error that names the function, the field, the problem and the rule. */
export function check(where: string, schema: v.GenericSchema, value: unknown): void {
  const { issues } = v.safeParse(schema, value, { abortPipeEarly: true });
  if (issues === undefined) return;
  const problems = issues.map((issue) => {
    const path = v.getDotPath(issue);
    return path === null ? issue.message : `${path} ${issue.message}`;
  });
  throw new Error(`${where}: ${problems.join('; ')}`);
}

/** An object that has these fields and no other. */
function fields(entries: v.ObjectEntries) {
  return v.strictObject(entries, ({ expected, received }) => {
    if (expected === 'never') return `is unknown; known: ${Object.keys(entries).join(', ')}`;
    return expected === 'Object' ? `${received} must be an object` : 'is required';
  });
}

/** What every value of its kind must be; the message has the value and the rule. */
function rule<Value>(is: (value: unknown) => boolean, text: string) {
  return v.custom<Value>(is, ({ received }) =>
    received === 'undefined' ? `is required, and ${text}` : `${received} ${text}`,
  );
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);
const isText = (value: unknown): value is string => typeof value === 'string';

/** One that is written in another way would allow nothing. */
function isOrigin(value: unknown): boolean {
  return isText(value) && /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;
}

function numberFrom(least: number, greatest = Number.MAX_SAFE_INTEGER) {
  const range = greatest === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${greatest}`;
  return rule<number>((value) => isNumber(value) && value >= least && value <= greatest, `must be a number ${range}`);
}

function integerFrom(least: number, greatest = Number.MAX_SAFE_INTEGER) {
  const range = greatest === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${greatest}`;
  return rule<number>(
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= greatest,
    `must be an integer ${range}`,
  );
}

function oneOf(...values: readonly string[]) {
  return rule<string>((value) => isText(value) && values.includes(value), `must be one of ${values.join(', ')}`);
}

function decimalText(pattern: RegExp, text: string) {
  return rule<string>((value) => isText(value) && pattern.test(value), text);
}

const text = rule<string>((value) => isText(value) && value !== '', 'must be a text that is not empty');
const flag = rule<boolean>((value) => typeof value === 'boolean', 'must be true or false');
const path = rule<string>(
  (value) => isText(value) && /^\/[^?#\s]*$/.test(value),
  'must be a path that begins with "/", without a query',
);
const positive = decimalText(/^(?!0+(\.0+)?$)\d+(\.\d+)?$/, 'must be a decimal string above 0, such as "0.001"');
const notNegative = decimalText(/^\d+(\.\d+)?$/, 'must be a decimal string, such as "0.001"');
const signed = decimalText(/^-?\d+(\.\d+)?$/, 'must be a decimal string, such as "0.001" or "-0.001"');
const offsetMs = rule<number>(Number.isFinite, 'must be a finite number');
const durationMs = numberFrom(0, 2 ** 31 - 1);
const market = decimalText(/^[A-Za-z0-9-]+_[A-Za-z0-9-]+$/, 'is not a market such as "BTC_USDT"');
const wallets = ['main', 'trade', 'collateral'] as const;
const balances = v.record(v.string(), signed);

const many = (item: v.GenericSchema) => v.array(item, ({ received }) => `${received} must be a list`);
const someOf = (item: v.GenericSchema) => v.pipe(many(item), v.minLength(1, 'must not be empty'));

const depthFields = {
  levels: integerFrom(0),
  step: numberFrom(0, 1),
  size: notNegative,
} satisfies Record<keyof Depth, v.GenericSchema>;

const limitFields = { limit: integerFrom(1), windowMs: numberFrom(1) } satisfies Record<
  keyof SandboxLimit,
  v.GenericSchema
>;

const marketFields = {
  name: market,
  price: v.optional(positive),
  stockPrec: v.optional(integerFrom(-30, 30)),
  moneyPrec: v.optional(integerFrom(-30, 30)),
  tickSize: v.optional(v.union([v.literal(''), positive])),
  stepSize: v.optional(v.union([v.literal(''), positive])),
  feePrec: v.optional(integerFrom(0, 30)),
  makerFee: v.optional(signed),
  takerFee: v.optional(signed),
  minAmount: v.optional(notNegative),
  minTotal: v.optional(notNegative),
  maxTotal: v.optional(notNegative),
  isCollateral: v.optional(flag),
  maxLeverage: v.optional(numberFrom(1, 100)),
  takerBand: v.optional(numberFrom(0, 1)),
  depth: v.optional(fields(depthFields)),
} satisfies Record<keyof SandboxMarketOptions, v.GenericSchema>;

const accountFields = {
  name: text,
  balances: v.optional(
    fields({ main: v.optional(balances), trade: v.optional(balances), collateral: v.optional(balances) }),
  ),
} satisfies Record<keyof SandboxAccountOptions, v.GenericSchema>;

const limit = v.optional(fields(limitFields));
const limitsFields = Object.fromEntries(Object.keys(defaultLimits).map((group) => [group, limit]));

const optionFields = {
  dialect: v.optional(oneOf('live', 'spec')),
  seed: v.optional(integerFrom(0)),
  clock: v.optional(oneOf('real', 'manual')),
  tickMs: v.optional(numberFrom(1)),
  volatility: v.optional(numberFrom(0, 1)),
  markets: v.optional(someOf(fields(marketFields))),
  historyLagMs: v.optional(durationMs),
  retentionMs: v.optional(rule<number>((value) => isNumber(value) && value > 0, 'must be a number above 0')),
  limits: v.optional(fields(limitsFields)),
  accounts: v.optional(someOf(fields(accountFields))),
  subAccounts: v.optional(integerFrom(0)),
  miningAccounts: v.optional(integerFrom(0)),
  dropIdentifiers: v.optional(
    v.union([v.literal(true), v.array(path)], ({ received }) => `${received} must be true, or a list of paths`),
  ),
  dateOffsetMs: v.optional(offsetMs),
  conditionalListing: v.optional(flag),
} satisfies Record<keyof SandboxOptions, v.GenericSchema>;

/** HTTP statuses that a response with a body can have. */
const statusRule = 'must be an integer from 200 to 599, and not 204, 205 or 304, which have no body';
const withoutBody: readonly unknown[] = [204, 205, 304];
const status = rule<number>(
  (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599 && !withoutBody.includes(value),
  statusRule,
);

const faultFields = {
  kind: oneOf(...faultKinds),
  path: v.optional(path),
  times: v.optional(integerFrom(1)),
  executed: v.optional(flag),
  status: v.optional(status),
  retryAfterSeconds: v.optional(numberFrom(0)),
  delayMs: v.optional(durationMs),
  hang: v.optional(flag),
} satisfies Record<keyof Fault, v.GenericSchema>;

const outageFields = {
  path: faultFields.path,
  times: integerFrom(1),
  executed: faultFields.executed,
  retryAfterSeconds: faultFields.retryAfterSeconds,
} satisfies Record<keyof Outage, v.GenericSchema>;

const randomFaultFields = {
  seed: integerFrom(0),
  rate: numberFrom(0, 1),
  kinds: v.optional(someOf(faultFields.kind)),
  paths: v.optional(someOf(path)),
  longestDelayMs: v.optional(durationMs),
  maxExecutionDelayMs: v.optional(durationMs),
} satisfies Record<keyof RandomFaults, v.GenericSchema>;

const routeFields = {
  method: oneOf('GET', 'POST'),
  path,
  group: v.optional(oneOf(...Object.keys(defaultLimits))),
  authentication: oneOf('none', 'signed'),
  handle: rule((value) => typeof value === 'function', 'must be a function'),
} satisfies Record<keyof SandboxRoute, v.GenericSchema>;

const origin = rule<string>(isOrigin, 'must be an origin as browsers write it, such as "http://localhost:5173"');

const listenFields = {
  port: v.optional(integerFrom(0, 65_535)),
  allowedOrigins: v.optional(many(origin)),
} satisfies Record<keyof ListenOptions, v.GenericSchema>;

const stopOrderFields = {
  market,
  side: oneOf('buy', 'sell'),
  type: oneOf('stop limit', 'stop market'),
  amount: positive,
  price: v.optional(positive),
  activation_price: positive,
  activationCondition: v.optional(oneOf('lte', 'gte')),
  client_order_id: v.optional(rule<string>(isText, 'must be a text')),
} satisfies Record<keyof StopOrder, v.GenericSchema>;

/** A field that a kind does not use would do nothing, and a test would pass without testing anything. */
const usedByKind = v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  const { kind: given, path: _path, times: _times, ...others } = dataset.value;
  const kind = faultKinds.find((known) => known === given);
  if (kind === undefined) return;
  for (const [field, value] of Object.entries(others)) {
    const uses = (one: FaultKind) => fieldsOfKind[one].some((used) => used === field);
    if (value === undefined || uses(kind)) continue;
    const users = faultKinds.filter(uses).map((one) => `"${one}"`);
    addIssue({
      message: `${field} belongs to faults of kind ${users.join(', ')}; those of kind "${kind}" do not use it`,
    });
  }
});

/** What the sandbox's functions take. */
export const given = {
  options: fields(optionFields),
  fault: v.pipe(fields(faultFields), usedByKind),
  outage: fields(outageFields),
  randomFaults: v.optional(fields(randomFaultFields)),
  route: fields(routeFields),
  depth: fields(depthFields),
  stopOrder: fields(stopOrderFields),
  deposit: fields({ asset: text, amount: signed, wallet: oneOf(...wallets) }),
  price: fields({ price: positive }),
  enabled: fields({ enabled: flag }),
  paths: fields({ paths: v.optional(many(path)) }),
  listening: fields(listenFields),
  dateOffset: fields({ ms: offsetMs }),
} as const;

/** Throws for a path that the sandbox has no route for: a fault of it would never meet a request. */
export function checkPaths(where: string, known: readonly string[], paths: readonly string[]): void {
  const unknown = paths.filter((one) => !known.includes(one));
  if (unknown.length === 0) return;
  throw new Error(
    `${where}: the sandbox has no route ${unknown.join(', ')}; it has ${known.join(', ')}. Add one with sandbox.route()`,
  );
}

/** Throws when two have one name. */
export function checkNames(where: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`${where}: two are named "${twice}"; names must be unique`);
}
