import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { oneOf, rule, text, type ParamsOf } from '../fields.js';
import { dataOf } from '../responses.js';

const vaspFields = {
  /** Identifies the provider: for `vaspData` of withdrawals and verifications. */
  vaspId: t.text,
  /** Its name. */
  name: t.optionalText,
};

/** A provider of wallets (VASP). Unknown fields are kept. */
export interface Vasp extends t.RecordOf<typeof vaspFields> {}

/**
 * Lists the providers of hosted wallets that the travel rule can name. They vary by region; some regions have none.
 *
 * @example
 * ```ts
 * exchange.compliance.listVasps().subscribe((vasps) => console.log(vasps.map(({ name }) => name)));
 * ```
 */
export const listVasps: Endpoint<object, Vasp[]> = defineEndpoint({
  name: 'compliance.listVasps',
  path: '/api/v4/travel-rule/vasps',
  rateLimit: { limit: 1000, windowMs: 10_000 },
  safety: 'read',
  response: dataOf(
    v.pipe(
      v.looseObject({ vasps: v.unknown() }),
      v.transform(({ vasps }) => vasps),
      t.listOf<Vasp>(t.record(vaspFields)),
    ),
  ),
});

const optionalText = v.exactOptional(text);

const country = v.pipe(text, v.length(3, 'must be a country of three letters, ISO 3166-1 alpha-3'));

const originatorFields = {
  type: oneOf(['individual', 'entity']),
  firstName: optionalText,
  lastName: optionalText,
  fullName: optionalText,
  residenceCountry: country,
  walletAddress: v.pipe(text, v.maxLength(200, 'must be at most 200 characters')),
  address: v.strictObject({ country, city: text, addressLine1: text, postCode: optionalText }),
};

/** Who sent a deposit. */
export interface Originator extends ParamsOf<typeof originatorFields> {}

const originatorSchema: v.GenericSchema<Originator> = v.strictObject(originatorFields);

const verifyParams = {
  /** `transactionId` of the deposit. */
  uniqueId: v.pipe(text, v.nonEmpty('must not be empty'), v.maxLength(100, 'must be at most 100 characters')),
  /** `hosted`: the wallet of a provider, which `vaspData` names. */
  walletType: oneOf(['hosted', 'unhosted']),
  /** Who sent the deposit: first and last name of an individual, full name of an entity. */
  originator: originatorSchema,
  /** The provider of a hosted wallet, by id or by name. */
  vaspData: v.exactOptional(v.strictObject({ vaspId: optionalText, vaspName: optionalText })),
};

/** Parameters of {@link verifyDeposit}. */
export interface VerifyDepositParams extends ParamsOf<typeof verifyParams> {}

const verificationFields = {
  /** The deposit. */
  uniqueId: t.optionalText,
  /** Such as `submitted`, `approved` or `rejected`. A rejected deposit is canceled. */
  status: t.text,
};

/** The verification of a deposit. Unknown fields are kept. */
export interface DepositVerification extends t.RecordOf<typeof verificationFields> {}

/**
 * Sends the data of a deposit that the travel rule needs: a deposit whose status is 27. After a lost response its outcome stays
 * `unknown`: `account.transactionHistory` shows another status than 27 if it was executed.
 *
 * @example
 * ```ts
 * exchange.compliance
 *   .verifyDeposit({
 *     uniqueId: '5e112b38-9652-11ed-a1eb-0242ac120002',
 *     walletType: 'unhosted',
 *     originator: {
 *       type: 'individual',
 *       firstName: 'Ada',
 *       lastName: 'Example',
 *       residenceCountry: 'DEU',
 *       walletAddress: '0x0964A6B8F794A4B8d61b62652dB27ddC9844FB4c',
 *       address: { country: 'DEU', city: 'Berlin', addressLine1: 'Example street 1' },
 *     },
 *   })
 *   .subscribe(({ status }) => console.log(status));
 * ```
 */
export const verifyDeposit: Endpoint<VerifyDepositParams, DepositVerification> = defineEndpoint({
  name: 'compliance.verifyDeposit',
  path: '/api/v4/travel-rule/deposit/verification',
  rateLimit: { limit: 1000, windowMs: 10_000 },
  safety: 'keyed',
  confidential: true,
  request: v.pipe(
    v.strictObject(verifyParams),
    rule(
      'originator',
      ({ originator }) =>
        originator.type === 'entity'
          ? originator.fullName !== undefined
          : originator.firstName !== undefined && originator.lastName !== undefined,
      'must have firstName and lastName of an individual, or fullName of an entity',
    ),
    rule(
      'vaspData',
      ({ walletType, vaspData }) => walletType === 'unhosted' || (vaspData?.vaspId ?? vaspData?.vaspName) !== undefined,
      'must have vaspId or vaspName of a hosted wallet',
    ),
  ),
  wireNames: { uniqueId: 'unique_id' },
  response: dataOf<DepositVerification>(t.record(verificationFields)),
  errorCodes: [{ status: 422, reason: 'duplicate' }],
});
