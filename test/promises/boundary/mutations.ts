// Mutations of valid responses, as bugs, gateways and attackers may make them.
import fc from 'fast-check';

/** Numbers that a double rounds. They are written into the text as they are. */
export const unheldNumbers = [
  '9007199254740993',
  '-18446744073709551617',
  '0.12345678901234567891',
  '4180284842.0000001234567',
  '1e400',
  '-1e999',
  '1e-400',
  '123456789012345678901234567890',
];

/** The same numbers after rounding. */
export const rounded: ReadonlySet<number> = new Set(unheldNumbers.map(Number).filter((number) => number !== 0));

/** Placeholders in a text for values that `JSON.stringify` cannot write. */
const raw = (text: string) => `\u2603${text}\u2603`;
const rawText = /"\u2603([^\u2603]*)\u2603"/g;

/** A mutation of a copy of a valid response, or of its text. */
export interface Mutation {
  readonly kind:
    'drop' | 'replace' | 'nest' | 'deepen' | 'swap' | 'copy' | 'rename' | 'add' | 'twice' | 'cut' | 'insert';
  readonly at: number;
  readonly to: number;
  readonly value: unknown;
  readonly key: string;
}

const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  0.1,
  1.5,
  1e21,
  2 ** 53 + 2,
  -0,
  '',
  '0',
  '1',
  '-1',
  'NaN',
  'Infinity',
  '1e5',
  '1e999999999',
  '0x10',
  ' 1',
  '1,5',
  '٣',
  'pong',
  '\0',
  '\ud800',
  '\ufffd',
  '\u202e',
  'x'.repeat(300),
  '9'.repeat(300),
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  ['pong'],
  { main_balance: 1 },
  { main_balance: '1' },
  ...unheldNumbers.map(raw),
  raw('01'),
  raw('1.'),
  raw('NaN'),
  raw('-Infinity'),
  raw('undefined'),
];

const keys: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  '',
  'order_id',
  'orderId',
  'id',
  'client_order_id',
  'clientOrderId',
  'market',
  'data',
  'deal_money',
  'dealMoney',
  'amount',
  'left',
  'success',
  'message',
  'errors',
  '\u202e',
  '\ud800',
  '0',
  '4294967295',
  raw('\\u005f_proto__'),
  raw('c\\u006fnstructor'),
];

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom<Mutation['kind'][]>(
    'drop',
    'replace',
    'replace',
    'nest',
    'deepen',
    'swap',
    'copy',
    'rename',
    'add',
    'twice',
    'cut',
    'insert',
  ),
  at: fc.nat(),
  to: fc.nat(),
  value: fc.constantFrom(...values),
  key: fc.constantFrom(...keys),
});

type Container = Record<string, unknown>;

interface Slot {
  readonly holder: Container;
  readonly key: string;
}

/** Every place in a value, the root first. */
function slotsOf(root: Container): readonly Slot[] {
  const slots: Slot[] = [];
  const visit = (holder: Container) => {
    for (const key of Object.keys(holder)) {
      slots.push({ holder, key });
      const inner = holder[key];
      if (isContainer(inner)) visit(inner);
    }
  };
  visit(root);
  return slots;
}

/** A JSON value. */
function copyOf(value: unknown): unknown {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Container = {};
  for (const key of Object.keys(value)) put(copy, key, copyOf(value[key]));
  return copy;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Sets an own field with any name. A list has its items only. */
function put(holder: Container, key: string, value: unknown): void {
  if (Array.isArray(holder) && !/^\d{1,6}$/.test(key)) return;
  if (key !== '__proto__') holder[key] = value;
  else Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The text of a valid response after these mutations. */
export function mutated(valid: unknown, mutations: readonly Mutation[]): string {
  const root: Container = { response: copyOf(valid) };
  for (const one of mutations) change(root, one);
  const response = root['response'];
  let text = JSON.stringify(response).replaceAll(rawText, (_all, inner: string, at: number, whole: string) =>
    isKeyAt(whole, at) ? `"${inner}"` : inner.replaceAll('\\\\', '\\'),
  );
  text = text.replaceAll(/"(?:\\\\u005f_proto__|c\\\\u006fnstructor)"/g, (key) => key.replaceAll('\\\\', '\\'));
  for (const { kind, at, value } of mutations) {
    if (kind === 'cut') text = text.slice(0, at % (text.length + 1));
    if (kind === 'insert')
      text =
        text.slice(0, at % (text.length + 1)) +
        String(value).replaceAll('\u2603', '') +
        text.slice(at % (text.length + 1));
    if (kind === 'twice') text = text.replace(/"(\w+)":/, '"$1":null,"$1":');
  }
  return text;
}

function isKeyAt(text: string, at: number): boolean {
  return text.charAt(text.indexOf('\u2603"', at + 1) + 2) === ':';
}

function change(root: Container, { kind, at, to, value, key }: Mutation): void {
  const slots = slotsOf(root);
  const slot = slots[at % slots.length];
  const other = slots[to % slots.length];
  if (slot === undefined || other === undefined) return;
  const inner = slot.holder[slot.key];
  switch (kind) {
    case 'drop':
      if (slot.holder !== root) Reflect.deleteProperty(slot.holder, slot.key);
      break;
    case 'replace':
      put(slot.holder, slot.key, copyOf(value));
      break;
    case 'nest':
      put(slot.holder, slot.key, at % 2 === 0 ? [inner] : { [key]: inner });
      break;
    case 'deepen':
      put(
        slot.holder,
        slot.key,
        Array.from({ length: 10 + (to % 100) }).reduce((nested) => (at % 2 === 0 ? [nested] : { a: nested }), inner),
      );
      break;
    case 'swap': {
      const copy = copyOf(inner);
      put(slot.holder, slot.key, copyOf(other.holder[other.key]));
      put(other.holder, other.key, copy);
      break;
    }
    case 'copy':
      put(slot.holder, slot.key, copyOf(other.holder[other.key]));
      break;
    case 'rename':
      if (slot.holder === root) break;
      Reflect.deleteProperty(slot.holder, slot.key);
      put(slot.holder, key, inner);
      break;
    case 'add':
      if (isContainer(inner)) put(inner, Array.isArray(inner) ? String(inner.length) : key, copyOf(value));
      break;
    case 'twice':
    case 'cut':
    case 'insert':
  }
}
