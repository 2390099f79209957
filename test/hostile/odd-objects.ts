// Odd objects that a `fetch`, a schema, a hook or a caller may throw or return: most break code that reads them.
import { inspect } from 'node:util';

/** Throws any value. */
export function raise(value: unknown): never {
  nothing().throw(value);
  throw new TypeError('a generator that has not started throws what it is given');
}

function* nothing(): Generator<undefined, void, undefined> {
  yield undefined;
}

/** An object whose property throws when it is read. */
export function failingAt(target: object, property: PropertyKey, thrown: () => unknown): object {
  return Object.defineProperty(target, property, { get: () => raise(thrown()), configurable: true });
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

const traps = [
  'get',
  'has',
  'getPrototypeOf',
  'ownKeys',
  'getOwnPropertyDescriptor',
  'set',
  'defineProperty',
  'apply',
  'construct',
] as const;
export type Trap = (typeof traps)[number];
export const allTraps: readonly Trap[] = traps;

/** A proxy that throws in these traps. */
export function trapped(target: object, at: readonly Trap[], thrown: () => unknown): object {
  return new Proxy(target, Object.fromEntries(at.map((trap) => [trap, () => raise(thrown())])));
}

/** An AggregateError that holds itself ten times. */
function ofItself(): AggregateError {
  const error = new AggregateError([], 'of itself');
  error.errors.push(...Array.from({ length: 10 }, () => error));
  return error;
}

/** An error with endless new causes and errors. */
function endless(): Error {
  const errors = { get: () => Array.from({ length: 10 }, endless) };
  return Object.defineProperties(new AggregateError([], 'endless'), { errors, cause: { get: endless } });
}

const secretly = (dump: string) => Object.assign(new Error(dump), { code: dump, request: dump });

/** Properties that code reads of an error or another object. The stack is first: defining it later reads the others. */
const read = [
  'stack',
  'name',
  'message',
  'code',
  'cause',
  'errors',
  'syscall',
  'then',
  'constructor',
  Symbol.toPrimitive,
  Symbol.toStringTag,
  Symbol.iterator,
  inspect.custom,
] as const;

const methods = ['toString', 'valueOf', 'toJSON', Symbol.toPrimitive, inspect.custom] as const;

/** An error whose every property throws an error that quotes the request. */
function failingAtAll(dump: string): Error {
  const error = new AggregateError([], dump);
  for (const property of read) failingAt(error, property, () => secretly(dump));
  return error;
}

/** Creates each odd object. `dump` is the request with its secrets. */
export const oddObjects: readonly (readonly [what: string, make: (dump: string) => unknown])[] = [
  ['nothing', () => undefined],
  ['null', () => null],
  ['a bigint', () => 7n],
  ['a symbol', () => Symbol('odd')],
  ['NaN', () => Number.NaN],
  ['a text with secrets', (dump) => dump],
  ['a function', () => () => raise(new Error('called'))],
  ['an empty object', () => ({})],
  ['an object without a prototype', () => Object.create(null) as object],
  [
    'an object that cannot be written',
    () => Object.fromEntries(methods.map((name) => [name, () => raise(new Error('no'))])),
  ],
  [
    'a function that cannot be written',
    () => Object.assign(() => undefined, Object.fromEntries(methods.map((name) => [name, () => raise(undefined)]))),
  ],
  ['a revoked proxy', () => revoked({})],
  ['a revoked proxy of an error', () => revoked(new Error('gone'))],
  ['a revoked proxy of a function', () => revoked(() => undefined)],
  ['a revoked proxy of a list', () => revoked([])],
  ['an error that inherits from a revoked proxy', () => Object.setPrototypeOf(new Error('x'), revoked({})) as unknown],
  ['a proxy that fails at everything', (dump) => trapped(new Error('x'), traps, () => secretly(dump))],
  ['a proxy that fails with revoked proxies', () => trapped({}, traps, () => revoked({}))],
  [
    'a proxy that says it has everything',
    () =>
      new Proxy(() => undefined, { has: () => true, get: (_, name) => (typeof name === 'symbol' ? undefined : 7n) }),
  ],
  ...read.map(
    (property) =>
      [
        `an error whose ${String(property)} throws`,
        (dump: string) => failingAt(new AggregateError([], 'x'), property, () => secretly(dump)),
      ] as const,
  ),
  ['an error that fails at everything', failingAtAll],
  [
    'an error that fails with errors that fail',
    (dump) =>
      failingAt(
        failingAt(new Error('x'), 'cause', () => failingAtAll(dump)),
        'code',
        () => failingAtAll(dump),
      ),
  ],
  ['an error of several without errors', () => Object.assign(new AggregateError([], 'x'), { errors: undefined })],
  ['an error of an object of errors', () => Object.assign(new AggregateError([], 'x'), { errors: { length: 1e9 } })],
  [
    'an error of several with a code and no errors',
    () => Object.assign(new AggregateError([], 'x'), { errors: undefined, code: 'ECONNRESET' }),
  ],
  ['an error of a revoked list', () => Object.assign(new AggregateError([], 'x'), { errors: revoked([]) })],
  ['an error of itself, ten times', ofItself],
  ['an error without end', endless],
  [
    'an error of odd parts',
    () => Object.assign(new Error('x'), { name: 7n, message: Symbol('m'), stack: {}, code: 7, cause: revoked({}) }),
  ],
  ['an error of a megabyte', (dump) => new Error(`${'x'.repeat(2 ** 20)}${dump}`)],
  ['an error that holds what was asked', secretly],
  [
    'a promise of another library that fails',
    () => ({
      then: (_: unknown, reject: (error: unknown) => void) => {
        reject(revoked({}));
      },
    }),
  ],
  [
    'a promise of another library that throws after its end',
    () => ({
      then: (resolve: (value: unknown) => void) => {
        resolve(undefined);
        raise(new Error('late'));
      },
    }),
  ],
  [
    'a promise of another library that calls both',
    () => ({
      then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
        resolve({});
        reject(new Error('both'));
        resolve(7);
      },
    }),
  ],
];
