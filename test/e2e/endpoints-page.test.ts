// docs/endpoints.md and docs/errors.md say of every endpoint what the code says. `RECORD=true` writes it anew.
import { createExchange, rateLimits, type ApiErrorReason, type AuthErrorReason } from 'exchange-rx';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, textOf } from '../support/documents.js';
import { generated } from '../support/endpoints-page.js';

const pages = ['docs/endpoints.md', 'docs/errors.md'];
const region = /<!-- from the code: (?<name>[\w.]+) -->\n(?<text>[\s\S]*?)<!-- end -->/g;

describe('what the pages have from the code', () => {
  const fromCode = generated();

  it('is as the code has it, and all of it is there', () => {
    if (process.env['RECORD'] === 'true') {
      for (const page of pages) {
        const text = textOf(page).replaceAll(
          region,
          (_, name: string) => `<!-- from the code: ${name} -->\n${fromCode.get(name) ?? ''}\n<!-- end -->`,
        );
        writeFileSync(join(root, page), text);
      }
    }
    const shown = pages.flatMap((page) =>
      [...textOf(page).matchAll(region)].map(({ groups = {} }) => [groups['name'], groups['text']?.trimEnd()] as const),
    );
    expect(shown.length).toBe(fromCode.size);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(fromCode));
  });
});

describe('docs/endpoints.md', () => {
  it('has a section for every function of a client, and for no other', () => {
    const client = createExchange({ baseUrl: 'https://exchange.example' });
    const functions = Object.entries(client).flatMap(([group, member]) => {
      if (typeof member === 'function') return [group];
      const members =
        typeof member === 'object' && !('subscribe' in member) && group !== 'scheduler'
          ? Object.keys(member as object)
          : [];
      return members.map((name) => `${group}.${name}`);
    });
    const sections = [...textOf('docs/endpoints.md').matchAll(/^### `([\w.]+)`$/gm)].map(([, name]) => name);
    expect(functions.length).toBeGreaterThan(15);
    expect([...sections].sort()).toEqual([...functions].sort());
  });
});

describe('docs/limits.md', () => {
  const rows = textOf('docs/limits.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));

  it.each(Object.values(rateLimits))('has the limit of the group $name', ({ name, limit, windowMs }) => {
    const row = rows.find((line) => line.split('|')[1]?.includes(`\`${name}\``));
    expect(row).toMatch(new RegExp(`\\| ${limit} / ${windowMs / 1000} s \\|$`));
  });
});

describe('docs/errors.md', () => {
  const apiReasons: Readonly<Record<ApiErrorReason, true>> = {
    validation: true,
    market: true,
    amount: true,
    price: true,
    step: true,
    'client-order-id': true,
    'conflicting-flags': true,
    'position-side': true,
    'reduce-only': true,
    'order-not-found': true,
    'insufficient-balance': true,
    'would-take': true,
    'position-limit': true,
    'positions-open': true,
    'opposite-position': true,
    other: true,
  };
  const authReasons: Readonly<Record<AuthErrorReason, true>> = {
    payload: true,
    signature: true,
    'nonce-expired': true,
    'nonce-used': true,
    'key-disabled': true,
    'key-not-authorized': true,
    'no-permission': true,
    'two-factor': true,
  };

  it.each([...Object.keys(apiReasons), ...Object.keys(authReasons)])(
    'says what to do about the reason `%s`',
    (reason) => {
      expect(textOf('docs/errors.md')).toMatch(new RegExp(`^\\| \`${reason}\` \\|`, 'm'));
    },
  );
});
