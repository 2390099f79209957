// Frames that a fault changes, or sends before the message.
import { type Frame, printed, type Push, pushMessage } from '../envelope.js';
import type { LiveFaultKind } from './live-fault.js';

const hugeBytes = 9 * 1024 * 1024;
const depthOfLists = 100_000;
const unsafeInteger = '9007199254740993';
const unknownPush: Push = { channel: 'unknown', params: [] };

type ChangeFrame = (text: string, push: Push) => readonly Frame[];

const changes: Readonly<Partial<Record<LiveFaultKind, ChangeFrame>>> = {
  corrupt: (text) => [{ text: text.slice(0, Math.floor(text.length / 2)) }],
  binary: (text) => [{ text, form: 'binary' }],
  fragmented: (text) => [{ text, form: 'fragmented' }],
  bom: (text) => [{ text: `\uFEFF${text}` }],
  huge: (text) => [{ text: text.padEnd(hugeBytes) }],
  deep: (_, { channel }) => [
    {
      text: `{"method": "${channel}_update", "params": ${'['.repeat(depthOfLists)}${']'.repeat(depthOfLists)}, "id": null}`,
    },
  ],
  'proto-key': (text) => [{ text: text.replaceAll('{', '{"__proto__": {"isPolluted": true}, ') }],
  'unknown-field': (text) => [{ text: text.replaceAll('{', '{"unknown_field": [1, null], ') }],
  nan: (text) => [{ text: text.replace(/"-?\d+(?:\.\d+)?"/, '"NaN"') }],
  'big-int': (text) => [{ text: text.replace(/("(?:update_)?id": |, )\d{9,}(?=[,}\]])/, `$1${unsafeInteger}`) }],
  'int-as-string': (text) => [{ text: text.replaceAll(/(?<=[[ ])(\d+(?:\.\d+)?)(?=[,}\]])/g, '"$1"') }],
  'empty-frame': (text) => [{ text: '' }, { text }],
  'unknown-method': (text) => [{ text: printed(pushMessage(unknownPush)) }, { text }],
};

/** `undefined`: the fault cannot change this message. */
export function changedFrames(kind: LiveFaultKind, push: Push): readonly Frame[] | undefined {
  const text = printed(pushMessage(push));
  const frames = changes[kind]?.(text, push);
  const [only] = frames ?? [];
  return frames?.length === 1 && only?.text === text && only.form === undefined ? undefined : frames;
}
