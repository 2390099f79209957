export {
  isExchangeError,
  isUndecided,
  toExchangeError,
  type AnyExchangeError,
  type UndecidedError,
} from './any-error.js';
export {
  ExchangeDownError,
  LookupError,
  NotPlacedError,
  QueueFullError,
  QueueTimeoutError,
  RequestError,
  ResponseError,
  TimeoutError,
  TransportError,
  type RequestIssue,
  type TimeoutPhase,
  type WaitedFor,
} from './call-errors.js';
export { copyError, errorsIn, findErrorCode } from './error-copy.js';
export {
  ExchangeError,
  responseBodyOf,
  type CalledFrom,
  type ExchangeErrorOptions,
  type Outcome,
} from './exchange-error.js';
export {
  ApiError,
  AuthError,
  HttpError,
  RateLimitedError,
  UnavailableError,
  type ApiErrorReason,
  type AuthErrorReason,
  type ErrorResponse,
} from './http-errors.js';
export {
  aFunction,
  anObservable,
  anything,
  count,
  countOrInfinity,
  durationAbove0,
  durationFrom0,
  eachByName,
  maxTimerMs,
  numberFrom,
  oneOf,
  optionsOf,
  parse,
  quote,
  rule,
  trueOrFalse,
  unquoted,
  withMethods,
  type OptionRules,
  type Rule,
} from './parse.js';
export { LiveRefusedError, SlowConsumerError } from './stream-errors.js';
export { SynchronousErrors } from './synchronous-errors.js';
export { suggestName } from './name-suggestion.js';
