// A misspelled name is near the name that was meant, and no other word is.
import { describe, expect, it } from 'vitest';
import { suggestName } from '../../src/errors/name-suggestion.js';

const known = ['timeoutMs', 'maxRetries', 'priority', 'ioc'];

describe('the suggestion for an unknown name', () => {
  it.each([
    ['timeuotMs', 'timeoutMs'],
    ['timoutMs', 'timeoutMs'],
    ['timeouttMs', 'timeoutMs'],
    ['timeautMs', 'timeoutMs'],
    ['TIMEOUTMS', 'timeoutMs'],
    ['timeout', 'timeoutMs'],
    ['retries', 'maxRetries'],
    ['prioritsy', 'priority'],
    ['io', 'ioc'],
  ])('%s means %s', (given, meant) => {
    expect(suggestName(given, known)).toBe(`; did you mean ${meant}?`);
  });

  it.each(['window', 'x', ''])('%j means none of them', (given) => {
    expect(suggestName(given, known)).toBe('');
  });
});
