// What a person is recognized by, and what opens an account or moves its money, is hidden wherever a program could print
// it: in errors, events and clients, and in the ledger of the sandbox.
import {
  createExchange,
  createScheduler,
  isExchangeError,
  type Endpoint,
  type Exchange,
  type Fetch,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, lastValueFrom, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { allEndpoints, callUntyped } from '../../support/endpoints.js';
import { Planted, printed } from '../../support/printed.js';
import { recordedOf } from '../../support/recorded.js';
import { jsonAnswer } from '../../support/recording-fetch.js';
import { collected } from '../../support/watch.js';

/** The names of such parameters, and of such fields of responses. */
const secretNames = [
  /^(first|last|full)name$/i,
  /address|phone|email|birth|^(city|line1|zip|postcode|zipcode)$/i,
  /^(customer)?ips?$/i,
  /memo|passphrase|secret|token|^code$|code_verifier|fingerprint/i,
];
/** They are no secrets: an address that the account gives to those who pay it, and a description of all assets. */
const open = ['account.depositAddress', 'account.createDepositAddress', 'public.assets', 'orders.cancelMany'];

const isSecretName = (name: string) => name !== 'token_type' && secretNames.some((pattern) => pattern.test(name));

/** The leaves of a value, with the name under which each stands. */
function leavesOf(value: unknown, name = ''): readonly (readonly [name: string, value: unknown])[] {
  if (typeof value !== 'object' || value === null) return [[name, value]];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    leavesOf(inner, Array.isArray(value) ? name : key === 'address' || !isSecretName(name) ? key : name),
  );
}

/** The names in a schema of a request, at any depth. */
function namesOf(schema: object): readonly string[] {
  const { entries = {}, wrapped, item }: { entries?: object; wrapped?: object; item?: object } = schema;
  return [
    ...Object.entries(entries).flatMap(([name, inner]: [string, object]) => [name, ...namesOf(inner)]),
    ...[wrapped, item].flatMap((inner) => (inner === undefined ? [] : namesOf(inner))),
  ];
}

/** Parameters beside those that are recorded. */
const withdrawal = {
  ...{ memo: 'MEMO-4711-of-Ada', customerIp: '203.0.113.77', bankBic: 'EXAMPLEBIC' },
  beneficiary: {
    ...{ firstName: 'Ada-Augusta', lastName: 'Example-King', phone: '+49 30 12345678', email: 'ada.king@example.com' },
    ...{ birthDate: '1990-12-31', code: 'TAX-998877', fingerprintSession: 'FINGERPRINT-5566' },
    address: { city: 'Sampleton', line1: 'Main Street 1', zip: '01001-9' },
  },
  travelRule: {
    walletType: 'unhosted',
    beneficiary: { type: 'individual', firstName: 'Ada-Augusta', lastName: 'Example-King' },
  },
};
const more: Readonly<Record<string, object>> = {
  'account.withdraw': withdrawal,
  'account.withdrawExact': withdrawal,
  // Longer than the recorded one, whose three digits a duration may have.
  'account.refundDeposit': { memo: 'MEMO-4711-of-Ada' },
  'account.createFiatDeposit': {
    customer: { firstName: 'Ada-Augusta', lastName: 'Example-King', email: 'ada@example.com' },
  },
  'compliance.verifyDeposit': {
    originator: {
      ...{ type: 'individual', firstName: 'Ada-Augusta', lastName: 'Example-King', residenceCountry: 'DEU' },
      walletAddress: '0x0964A6B8F794A4B8d61b62652dB27ddC9844FB4c',
      address: { country: 'DEU', city: 'Sampleton', addressLine1: 'Main Street 1', postCode: '01001-9' },
    },
  },
  'oauth.refreshToken': { client_secret: 'SECRET-of-the-app-1122', token: 'REFRESH-of-Ada-3344' },
  'subAccounts.create': { email: 'ada.king@example.com' },
  'subAccounts.list': { search: 'ada.king@example.com' },
};

const paramsOf = (endpoint: Endpoint) => ({ ...recordedOf(endpoint).params, ...more[endpoint.name] });

function plantedOf(endpoint: Endpoint): Planted {
  const planted = new Planted();
  for (const [name, value] of leavesOf(paramsOf(endpoint)))
    if ((isSecretName(name) || name === 'search') && typeof value === 'string') planted.add(name, value);
  return planted;
}

it('an endpoint that has such a parameter, or sends such a field, is confidential', () => {
  const shown = (endpoint: Endpoint) => [
    ...namesOf(endpoint.request),
    ...leavesOf(recordedOf(endpoint).response).map(([name]) => name),
  ];
  const found = allEndpoints.filter((endpoint) => shown(endpoint).some(isSecretName)).map(({ name }) => name);
  const confidential = allEndpoints.filter((endpoint) => endpoint.confidential).map(({ name }) => name);
  expect(found.filter((name) => !confidential.includes(name)).sort()).toEqual(open.sort());
});

/** Everything that the exchange, or the network, could quote of a request. */
const echoes: readonly Fetch[] = [
  (_, { body }) => Promise.resolve(jsonAnswer({ code: 1, message: body, errors: { [body ?? '']: [body] } }, 422)),
  (_, { body }) => Promise.resolve(jsonAnswer({ data: body, [body ?? '']: 1 })),
  (_, { body }) => Promise.resolve(new Response(body ?? '', { status: 503 })),
  (_, { body }) => Promise.reject(new TypeError(`could not send ${body}`)),
];

/** The output, or the error. */
function resultOf(exchange: Exchange, endpoint: Endpoint, params: object): Promise<unknown> {
  const call$ = callUntyped(exchange, endpoint, params).pipe(catchError((error: unknown) => of(error)));
  return lastValueFrom(call$, { defaultValue: undefined });
}

const confidential = allEndpoints.filter((endpoint) => endpoint.confidential);

describe.each(confidential.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (_, endpoint) => {
  const planted = plantedOf(endpoint);
  const params = paramsOf(endpoint);

  it('is quoted by no error, event or client, whatever the exchange and the network quote', async () => {
    let errors = 0;
    for (const fetch of echoes) {
      const exchange = createExchange({
        ...{ baseUrl: 'https://exchange.example', credentials: { apiKey: 'key', apiSecret: 'secret' }, fetch },
        ...{ scheduler: createScheduler(), retry: false, lookupTimeoutMs: 0, allowWithdrawals: true },
      });
      const events = collected(exchange.events$);
      // The second one has every value in a wrong place.
      const wrong = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, [value]]));
      for (const given of [params, wrong]) {
        const result = await resultOf(exchange, endpoint, given);
        errors += isExchangeError(result) ? 1 : 0;
        // An output is what the program requested.
        const printable = [isExchangeError(result) ? result : undefined, events, exchange];
        expect(planted.foundIn(printable.map(printed).join('\n'))).toEqual([]);
      }
    }
    expect(errors).toBeGreaterThanOrEqual(echoes.length - 1);
  });

  it('is not in the ledger of the sandbox', async () => {
    const sandbox = createSandbox();
    const options = { ...sandbox.clientOptions(), retry: false, allowWithdrawals: true, lookupTimeoutMs: 0 } as const;
    const exchange = createExchange(options);
    await resultOf(exchange, endpoint, params);
    const { requests, balanceChanges, live } = sandbox.ledger;
    expect(requests.length).toBeGreaterThan(0);
    expect(planted.foundIn(printed([requests, balanceChanges, live.requests, sandbox]))).toEqual([]);
  });
});
