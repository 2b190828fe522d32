import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../site/service-process';

export const readGuide = (name: string) => readFileSync(join(ROOT, 'docs/guides', name), 'utf8');

/** What stands for the reader's own in the guides. */
const GATEWAY = 'https://gateway.example.com';
const KEY = 'bfvk-…';
const MODEL = 'sandbox-chat';

export interface Reader {
  gateway: string;
  apiKey: string;
  model: string;
}

/** The first block of code behind a text of a guide, with what is the reader's own filled in. */
export function guideBlock(guide: string, behind: string, reader: Reader): string {
  const text = readGuide(guide);
  const start = text.indexOf(behind);
  const block = /^```.*\n([^]*?)^```$/m.exec(text.slice(start))?.[1];
  if (start < 0 || block === undefined) throw new Error(`No block of code behind "${behind}" in ${guide}`);
  return block
    .replaceAll(GATEWAY, reader.gateway)
    .replaceAll(KEY, reader.apiKey)
    .replaceAll(MODEL, reader.model);
}

export interface ShellLines {
  /** What `export` sets. */
  env: Record<string, string>;
  /** The words of each other line. */
  commands: string[][];
}

/** Reads a block of shell lines without quotes. */
export function readShellLines(block: string): ShellLines {
  const lines: ShellLines = { env: {}, commands: [] };
  for (const line of block.split('\n')) {
    const words = line.replace(/ +# .*/, '').split(/ +/);
    if (words[0] === 'export')
      for (const word of words.slice(1))
        lines.env[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1);
    else if (words[0] !== '') lines.commands.push(words);
  }
  return lines;
}
