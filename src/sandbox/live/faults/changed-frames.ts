// Frames that a fault changes, or sends before the message.
import { type Frame, printed, type Push, pushMessage } from '../envelope.js';
import type { LiveFaultKind } from './live-fault.js';

const unsafeInteger = '9007199254740993';
const unknownPush: Push = { channel: 'unknown', params: [] };

type ChangeFrame = (text: string) => readonly Frame[];

const changes: Readonly<Partial<Record<LiveFaultKind, ChangeFrame>>> = {
  corrupt: (text) => [{ text: text.slice(0, Math.floor(text.length / 2)) }],
  binary: (text) => [{ text, isBinary: true }],
  bom: (text) => [{ text: `\uFEFF${text}` }],
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
  const frames = changes[kind]?.(text);
  const [only] = frames ?? [];
  return frames?.length === 1 && only?.text === text && only.isBinary !== true ? undefined : frames;
}
