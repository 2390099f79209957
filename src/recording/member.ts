// The parts of a file: gzip members, each with its own length in its header. Every tool that reads gzip reads the file;
// this package also finds the next member after a damaged one, and recognizes one that was cut.
import type { FileHandle } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';

/** RFC 1952: an extra field follows the header. */
const hasExtra = 4;
const flagsAt = 3;
const headerLength = 10;
/** Length of the extra field, its name, the length of its value, and the value: the length of the member. */
const extraLength = 10;
const prefix = Buffer.from([8, 0, ...Buffer.from('RX'), 4, 0]);
/** How each member begins. */
const magic = Buffer.from([0x1f, 0x8b, 8, hasExtra]);
const startLength = headerLength + extraLength;
/** A member holds 256 KiB of lines, and at most one frame of 8 MiB, whose text may need six characters for each. */
const maxLength = 64 * 1024 * 1024;
/** Read at once: a second of a quiet market is a member of some hundred bytes. */
const windowLength = 256 * 1024;

/** A gzip member of this text. */
export function memberOf(text: string): Buffer {
  const compressed = gzipSync(text, { level: 1 });
  const extra = Buffer.alloc(extraLength);
  prefix.copy(extra);
  extra.writeUInt32LE(compressed.length + extraLength, prefix.length);
  const member = Buffer.concat([compressed.subarray(0, headerLength), extra, compressed.subarray(headerLength)]);
  member.writeUInt8(hasExtra, flagsAt);
  return member;
}

/** The text of each complete member; `undefined` where bytes are unreadable, also at the end of a file that was cut. */
export async function* membersOf(file: FileHandle): AsyncGenerator<string | undefined> {
  const bytes = new FileBytes(file);
  let position = 0;
  for (;;) {
    const start = await bytes.at(position, startLength);
    if (start.length === 0) return;
    const length = lengthIn(start);
    const text = length === undefined ? undefined : textOf(await bytes.at(position, length), length);
    yield text;
    if (text !== undefined && length !== undefined) position += length;
    else {
      const next = await nextMember(bytes, position + 1);
      if (next === undefined) return;
      position = next;
    }
  }
}

/** The bytes of a file, which is read forward: a window of it is in memory. */
class FileBytes {
  #window = Buffer.alloc(0);
  #from = 0;

  constructor(private readonly file: FileHandle) {}

  /** Fewer at the end of the file. No position is before that of an earlier call. */
  async at(position: number, length: number): Promise<Buffer> {
    if (position + length > this.#from + this.#window.length) await this.#read(position, length);
    return this.#window.subarray(position - this.#from, position - this.#from + length);
  }

  async #read(position: number, length: number): Promise<void> {
    // A damaged length must not cost memory that the file does not fill.
    const { size } = await this.file.stat();
    const bytes = Buffer.alloc(Math.max(0, Math.min(Math.max(length, windowLength), size - position)));
    const { bytesRead } = await this.file.read(bytes, 0, bytes.length, position);
    this.#window = bytes.subarray(0, bytesRead);
    this.#from = position;
  }
}

/** The length of the member that begins with these bytes; `undefined` when none does. */
function lengthIn(start: Buffer): number | undefined {
  if (start.length < startLength || !start.subarray(0, magic.length).equals(magic)) return undefined;
  if (!start.subarray(headerLength, headerLength + prefix.length).equals(prefix)) return undefined;
  const length = start.readUInt32LE(headerLength + prefix.length);
  return length > startLength && length <= maxLength ? length : undefined;
}

/** The checksum at the end of a member decides. Decompressed in this turn, which takes less time than a thread's turns. */
function textOf(member: Buffer, length: number): string | undefined {
  if (member.length < length) return undefined;
  try {
    return gunzipSync(member, { maxOutputLength: maxLength }).toString();
  } catch {
    return undefined;
  }
}

/** Where the next member begins. */
async function nextMember(bytes: FileBytes, from: number): Promise<number | undefined> {
  for (let position = from; ;) {
    const window = await bytes.at(position, windowLength);
    if (window.length < startLength) return undefined;
    for (let at = window.indexOf(magic); at >= 0; at = window.indexOf(magic, at + 1))
      if (lengthIn(window.subarray(at, at + startLength)) !== undefined) return position + at;
    // A member may begin at the end of this window.
    position += window.length - startLength + 1;
  }
}
