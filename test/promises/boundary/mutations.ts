// Mutations of valid responses, as bugs, gateways and attackers may make them.
import fc from 'fast-check';

/** Numbers that a double rounds. They are written into the text as they are. */
const unheldNumbers = [
  ...['9007199254740993', '-18446744073709551617', '0.12345678901234567891', '4180284842.0000001234567'],
  ...['1e400', '-1e999', '1e-400', '123456789012345678901234567890'],
];

export const rounded: ReadonlySet<number> = new Set(unheldNumbers.map(Number).filter((number) => number !== 0));

/** Placeholders in a text for values that `JSON.stringify` cannot write. */
const raw = (text: string) => `\u2603${text}\u2603`;
const rawText = /"\u2603([^\u2603]*)\u2603"/g;

const values: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 0.1, 1.5, 1e21, 2 ** 53 + 2, -0],
  ...['', '0', '1', '-1', 'NaN', 'Infinity', '1e5', '1e999999999', '0x10', ' 1', '1,5', '٣', 'pong'],
  ...['\0', '\ud800', '\ufffd', '\u202e', 'x'.repeat(300), '9'.repeat(300)],
  ...[[], {}, [[]], [null], { a: 1 }, ['pong'], { main_balance: 1 }, { main_balance: '1' }],
  ...[...unheldNumbers, '01', '1.', 'NaN', '-Infinity', 'undefined'].map(raw),
];

const keys: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', ''],
  ...['order_id', 'orderId', 'id', 'client_order_id', 'clientOrderId', 'market', 'data', 'deal_money', 'dealMoney'],
  ...['amount', 'left', 'success', 'message', 'errors', '\u202e', '\ud800', '0', '4294967295'],
  ...['\\u005f_proto__', 'c\\u006fnstructor'].map(raw),
];

/** Replacing is as frequent as two of the others. */
const kinds = [
  ...(['drop', 'replace', 'replace', 'nest', 'deepen', 'swap', 'copy', 'rename', 'add'] as const),
  ...(['twice', 'cut', 'insert'] as const),
];

/** A mutation of a copy of a valid response, or of its text. */
export interface Mutation {
  readonly kind: (typeof kinds)[number];
  readonly at: number;
  readonly to: number;
  readonly value: unknown;
  readonly key: string;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(...kinds),
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
    if (kind === 'insert') {
      const place = at % (text.length + 1);
      text = text.slice(0, place) + String(value).replaceAll('\u2603', '') + text.slice(place);
    }
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
