// The fields of a request, checked as the spec's tables say: which are required, what each may be, and which code and
// field a refusal has.
import { clientOrderIdMaxLength, clientOrderIdPattern } from '../../model/client-order-id.js';
import { decimal } from '../../model/decimal.js';
import { apiErrorCodes } from '../../model/error-body.js';
import { leverages } from '../../model/leverage.js';
import {
  liveStpModes,
  orderSides,
  positionSides,
  stpModes,
  type OrderSide,
  type PositionSide,
  type StpMode,
} from '../../model/order.js';
import { killSwitchTypes, type KillSwitchType } from '../engine/kill-switches.js';
import { invalid, Refusal, validationMessage } from '../refusal.js';
import type { Fields } from './authenticate.js';
import { wireField, type Dialect } from './dialect.js';

const killSwitchMinSeconds = 5;
const killSwitchMaxSeconds = 600;

const { validation, market: badMarket, amount: badAmount, clientOrderId: badClientOrderId } = apiErrorCodes;

/** Reads the fields of one request. Fields are asked for by the spec's names and read under the dialect's. */
export class FieldReader {
  constructor(
    private readonly fields: Fields,
    readonly dialect: Dialect,
    /** Whether an identifier of the client's is ignored, as a field that is not known. */
    private readonly dropsIdentifiers = false,
  ) {}

  /** Whether the request has the field, `null` too. */
  has(name: string): boolean {
    return this.fields[wireField(this.dialect, name)] !== undefined;
  }

  /** Refuses when any of these is missing, naming each one. An empty string is a value. */
  require(...names: string[]): void {
    const missing = names.filter((name) => this.value(name) === undefined);
    if (missing.length === 0) return;
    throw new Refusal(
      422,
      validation,
      validationMessage,
      Object.fromEntries(missing.map((name) => [name, [`The ${name} field is required.`]])),
    );
  }

  value(name: string): unknown {
    const value = this.fields[wireField(this.dialect, name)];
    return value === null ? undefined : value;
  }

  market(): string {
    const market = this.value('market');
    if (typeof market !== 'string' || market === '')
      throw invalid(422, badMarket, 'market', 'Market is not available.');
    return market;
  }

  side(): OrderSide {
    const side = orderSides.find((known) => known === this.value('side'));
    if (side === undefined) throw invalid(422, validation, 'side', "Side must be 'buy' or 'sell'.");
    return side;
  }

  amount(): string {
    return this.#decimal('amount', badAmount, 'Amount must be a numeric string or number.');
  }

  price(name: 'price' | 'stopLoss' | 'takeProfit'): string {
    return this.#decimal(name, name === 'price' ? 33 : validation, `The ${name} must be a numeric string or number.`);
  }

  optionalPrice(name: 'stopLoss' | 'takeProfit'): string | undefined {
    return this.value(name) === undefined ? undefined : this.price(name);
  }

  clientOrderId(): string {
    const id = this.value('client_order_id');
    if (id === undefined || this.dropsIdentifiers) return '';
    const refuse = (message: string) => invalid(422, badClientOrderId, 'client_order_id', message);
    if (typeof id !== 'string') throw refuse('Client order id must be a string.');
    if (!clientOrderIdPattern.test(id))
      throw refuse('Client order id may only contain letters, digits, dashes, dots and underscores.');
    if (id.length > clientOrderIdMaxLength)
      throw refuse(`Client order id may not be greater than ${clientOrderIdMaxLength} characters.`);
    return id;
  }

  /** The exchange's number of an order; where lists are asked for it, the digits in a string too. */
  orderId({ asDigits }: { readonly asDigits: boolean }): number | undefined {
    const value = this.value('order_id');
    if (asDigits && typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value)) return Number(value);
    return this.integer('order_id', 1, Number.MAX_SAFE_INTEGER);
  }

  /** In how many seconds a kill switch fires; `undefined` for `null`, which removes it. */
  killSwitchSeconds(): number | undefined {
    if (!this.has('timeout')) throw invalid(422, validation, 'timeout', 'Timeout field is required.');
    const timeout = this.value('timeout');
    if (timeout === undefined) return undefined;
    const seconds = typeof timeout === 'string' && /^\d{1,3}$/.test(timeout) ? Number(timeout) : Number.NaN;
    if (!(seconds <= killSwitchMaxSeconds))
      throw invalid(422, validation, 'timeout', `Timeout should be at most ${killSwitchMaxSeconds}.`);
    if (seconds < killSwitchMinSeconds)
      throw invalid(422, validation, 'timeout', `Timeout should be at least ${killSwitchMinSeconds}.`);
    return seconds;
  }

  /** Which orders a kill switch cancels; `undefined`: all. */
  killSwitchTypes(): readonly KillSwitchType[] | undefined {
    const given = this.value('types');
    if (given === undefined) return undefined;
    const types = killSwitchTypes.filter((type) => Array.isArray(given) && given.includes(type));
    if (!Array.isArray(given) || types.length !== given.length)
      throw invalid(422, validation, 'types', 'The selected types is invalid.');
    return types;
  }

  stp(): StpMode {
    const given = this.value('stp') ?? 'no';
    const mode = stpModes.find(
      (known) => known === given || (this.dialect === 'live' && liveStpModes[known] === given),
    );
    if (mode === undefined) throw invalid(422, validation, 'stp', 'The selected stp is invalid.');
    return mode;
  }

  flag(name: string): boolean {
    const value = this.value(name) ?? false;
    if (typeof value !== 'boolean') throw invalid(422, validation, name, `The ${name} field must be true or false.`);
    return value;
  }

  positionSide(): PositionSide | undefined {
    const given = this.value('positionSide');
    if (given === undefined) return undefined;
    const side = positionSides.find((known) => known === given);
    if (side === undefined) throw invalid(422, 114, 'positionSide', 'The selected positionSide is invalid.');
    return side;
  }

  leverage(): number {
    const given = this.value('leverage');
    const leverage = leverages.find((known) => known === given);
    if (leverage === undefined) throw invalid(422, validation, 'leverage', 'The selected leverage is invalid.');
    return leverage;
  }

  text(name: string, longest: number): string | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') throw invalid(422, validation, name, `The ${name} must be a string.`);
    if (value.length > longest)
      throw invalid(422, validation, name, `The ${name} may not be greater than ${longest} characters.`);
    return value;
  }

  integer(name: string, from: number, to: number): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < from || value > to) {
      throw invalid(422, validation, name, `The ${name} must be an integer between ${from} and ${to}.`);
    }
    return value;
  }

  #decimal(name: string, code: number, message: string): string {
    const value = this.value(name);
    const text = typeof value === 'number' ? decimal(value).toFixed() : value;
    if (typeof text !== 'string' || !/^\d+(\.\d+)?$/.test(text) || !decimal(text).isGreaterThan(0))
      throw invalid(422, code, name, message);
    return text;
  }
}
