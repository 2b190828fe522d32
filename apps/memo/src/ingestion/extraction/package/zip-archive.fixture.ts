import { constants, crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  name: string;
  data?: string | Buffer;
  /** Replaces the deflated `data`. */
  deflated?: Buffer;
  /** Declared values, which may be false. */
  size?: number;
  crc?: number;
  flags?: number;
  /** Offset of another entry whose data is shared. */
  at?: number;
}

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END = 0x06054b50;
const DEFLATED = 8;
const ZIP64_FROM = 0xffffffff;

/** Writes a ZIP file in which every field can be false. */
export function zip(entries: ZipEntry[], count = entries.length): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const raw = Buffer.from(entry.data ?? '');
    const data = entry.deflated ?? deflateRawSync(raw);
    const fields = fieldsOf(entry, raw, data);
    const name = Buffer.from(entry.name);
    const at = entry.at ?? offset;
    if (entry.at === undefined) {
      const file = Buffer.concat([header(LOCAL_HEADER, 30, 4, fields), name, data]);
      file.writeUInt16LE(name.length, 26);
      files.push(file);
      offset += file.length;
    }
    const extra = zip64Extra(fields.size);
    const central = header(CENTRAL_HEADER, 46, 6, fields);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt16LE(extra.length, 30);
    central.writeUInt32LE(at, 42);
    directory.push(central, name, extra);
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, central, end]);
}

/** A deflate stream of `head`, many repetitions of `block`, and `tail`: gigabytes in a few kilobytes. */
export function endlessDeflate(head: string, block: Buffer, times: number, tail: string): Buffer {
  const flush = { finishFlush: constants.Z_FULL_FLUSH };
  const middle = deflateRawSync(block, flush);
  const parts = Array.from({ length: times }, () => middle);
  return Buffer.concat([
    deflateRawSync(Buffer.from(head), flush),
    ...parts,
    deflateRawSync(Buffer.from(tail)),
  ]);
}

interface Fields {
  flags: number;
  crc: number;
  packed: number;
  size: number;
}

function fieldsOf(entry: ZipEntry, raw: Buffer, data: Buffer): Fields {
  return {
    flags: entry.flags ?? 0,
    crc: entry.crc ?? crc32(raw),
    packed: data.length,
    size: entry.size ?? raw.length,
  };
}

function header(signature: number, bytes: number, at: number, { flags, crc, packed, size }: Fields): Buffer {
  const fields = Buffer.alloc(bytes);
  fields.writeUInt32LE(signature, 0);
  fields.writeUInt16LE(45, at);
  fields.writeUInt16LE(flags, at + 2);
  fields.writeUInt16LE(DEFLATED, at + 4);
  fields.writeUInt32LE(crc, at + 10);
  fields.writeUInt32LE(packed, at + 14);
  fields.writeUInt32LE(Math.min(size, ZIP64_FROM), at + 18);
  return fields;
}

function zip64Extra(size: number): Buffer {
  if (size < ZIP64_FROM) return Buffer.alloc(0);
  const extra = Buffer.alloc(12);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(BigInt(size), 4);
  return extra;
}
