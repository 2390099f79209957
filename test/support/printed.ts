// What a program could print of a value, in every way that it could; and secrets that are looked for in it.
import { inspect } from 'node:util';

const everything = {
  depth: Infinity,
  showHidden: true,
  maxArrayLength: Infinity,
  maxStringLength: Infinity,
  breakLength: Infinity,
} as const;

/** All that could be printed of it, by loggers that see what is enumerable, and by those that look for more. */
export function printed(value: unknown): string {
  return [inspect(value), inspect(value, everything), jsonOf(value), ...textsIn(value)].join('\n');
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify([value]);
  } catch {
    // What is circular cannot be written.
    return '';
  }
}

/** Every text that is reachable from it, as it is: no printing escapes or shortens it. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const visit = (held: unknown): void => {
    if (typeof held === 'string') texts.push(held);
    if ((typeof held !== 'object' && typeof held !== 'function') || held === null || seen.has(held)) return;
    seen.add(held);
    if (held instanceof Map || held instanceof Set) for (const entry of [...held.entries()].flat()) visit(entry);
    for (const key of Reflect.ownKeys(held)) {
      if (typeof key === 'string') texts.push(key);
      visit(Object.getOwnPropertyDescriptor(held, key)?.value);
    }
  };
  visit(value);
  return texts;
}

/** Shorter than this, a text does not identify the secret that it is a part of. */
const quotedLength = 12;

/** Secrets, by the names under which they are reported when they are found. */
export class Planted {
  readonly #forms = new Map<string, string>();

  add(name: string, secret: string): void {
    const bytes = Buffer.from(secret);
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
    ];
    for (const form of forms) this.#forms.set(form.toLowerCase(), name);
  }

  /** Also when only its beginning is found. */
  addWithItsBeginning(name: string, secret: string): void {
    this.add(name, secret);
    this.add(`the beginning of ${name}`, secret.slice(0, quotedLength));
  }

  /** The names of the secrets that are in the text. */
  foundIn(text: string): string[] {
    const lower = text.toLowerCase();
    return [...new Set([...this.#forms].filter(([form]) => lower.includes(form)).map(([, name]) => name))];
  }
}
