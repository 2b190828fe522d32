import { burn, type Entry } from '@kenjiuno/msgreader/lib/Burner';

type Tree = { [name: string]: Buffer | Tree };

const DIRECTORY = 1;
const DOCUMENT = 2;
const ROOT = 5;

/** A file of Outlook (MS-OXMSG): texts by the number of their property, and storages for recipients and attachments. */
export const msg = (texts: Record<string, string | Buffer>, storages: Tree = {}): Buffer =>
  compoundFile({ ...streams(texts), ...storages });

/** The properties of a mail whose HTML is in a code page (PidTagInternetCodepage). */
export const inCodePage = (page: number): Tree => ({
  '__properties_version1.0': Buffer.concat([Buffer.alloc(32), property(0x3fde0003, page)]),
});

/** The file, whose directory goes on at its first sector again. */
export function endless(file: Buffer): Buffer {
  const first = file.readInt32LE(48);
  const table = file.readInt32LE(76);
  const looped = Buffer.from(file);
  looped.writeInt32LE(first, (table + 1) * 512 + first * 4);
  return looped;
}

export const recipient = (name: string, email: string): Tree => ({
  ...streams({ '3001': name, '39FE': email }),
  // A recipient of the kind "to" (PidTagRecipientType).
  '__properties_version1.0': Buffer.concat([Buffer.alloc(8), property(0x0c150003, 1)]),
});

export const attachment = (name: string, content: Buffer): Tree => ({
  ...streams({ '3707': name, '3701': content }),
  '__properties_version1.0': Buffer.concat([Buffer.alloc(8), property(0x37050003, 1)]),
});

function streams(texts: Record<string, string | Buffer>): Tree {
  const entries = Object.entries(texts).map(([id, value]): [string, Buffer] =>
    typeof value === 'string'
      ? [`__substg1.0_${id}001F`, Buffer.from(value, 'utf16le')]
      : [`__substg1.0_${id}0102`, value],
  );
  return { '__properties_version1.0': Buffer.alloc(32), ...Object.fromEntries(entries) };
}

function property(tag: number, value: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(tag, 0);
  bytes.writeUInt32LE(value, 8);
  return bytes;
}

function compoundFile(tree: Tree): Buffer {
  const entries: Entry[] = [{ name: 'Root Entry', type: ROOT, length: 0, children: [] }];
  const add = (children: number[], content: Tree) => {
    for (const [name, value] of Object.entries(content)) {
      children.push(entries.length);
      if (Buffer.isBuffer(value))
        entries.push({
          name,
          type: DOCUMENT,
          length: value.length,
          binaryProvider: () => new Uint8Array(value),
        });
      else {
        const inner: number[] = [];
        entries.push({ name, type: DIRECTORY, length: 0, children: inner });
        add(inner, value);
      }
    }
  };
  add(entries[0]!.children!, tree);
  return Buffer.from(burn(entries));
}
