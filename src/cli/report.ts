// What a command says: a text for people and the same as data, and how either is written.
import Table from 'cli-table3';
import type { createColors } from 'picocolors';

/** One thing that a command says. */
export interface Report {
  /** For people. */
  readonly text: string;
  /** For `--json`: one line. */
  readonly data: object;
}

/** Colours, or none where they are not wanted. */
export type Colors = ReturnType<typeof createColors>;

/** A table without colours or lines: readable by a screen reader and by `awk`. */
export function listing(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const blank = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' };
  const lines = { left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' };
  const table = new Table({ head: [...head], chars: { ...blank, ...lines }, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 } });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A framed table without colours. */
export function framed(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

export function formatMs(ms: number | undefined): string {
  return ms === undefined ? '–' : `${ms.toFixed(1)} ms`;
}
