import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Reads the manifest that PostgreSQL writes with each base backup (PostgreSQL, "Backup Manifest Format").
 *
 * @typedef {{ Path: string, Size: number, 'Checksum-Algorithm'?: string, Checksum?: string }} ManifestFile
 * @typedef {{ files: ManifestFile[], startPosition: string }} Manifest `startPosition`: in the log, such as `0/4000028`
 */

const CHECKSUM_LINE = /^"Manifest-Checksum": "([0-9a-f]{64})"\}\s*$/m;
/** Node calculates these, but not CRC32C. */
const ALGORITHM = /^SHA(224|256|384|512)$/;

/**
 * @param {string} folder of the base backup
 * @returns {Manifest}
 * @throws if the manifest is missing or altered
 */
export function readManifest(folder) {
  const file = path.join(folder, 'backup_manifest');
  if (!fs.existsSync(file)) throw new Error(`${folder} is not a complete base backup: it has no manifest.`);
  const text = fs.readFileSync(file, 'utf8');
  const last = CHECKSUM_LINE.exec(text);
  if (!last || createHash('sha256').update(text.slice(0, last.index)).digest('hex') !== last[1]) {
    throw new Error(`${file} was altered: its checksum is wrong.`);
  }
  const { Files: files, 'WAL-Ranges': ranges } = JSON.parse(text);
  return { files, startPosition: ranges[0]['Start-LSN'] };
}

/**
 * @param {Manifest} manifest
 * @param {string} dataDir with the extracted files
 * @throws if a file is missing or altered
 */
export async function checkFiles({ files }, dataDir) {
  for (const { Path: name, Size: size, 'Checksum-Algorithm': algorithm = '', Checksum: checksum } of files) {
    if (!ALGORITHM.test(algorithm)) {
      throw new Error('The base backup has no SHA checksums. Take it with --manifest-checksums=SHA256.');
    }
    const file = path.join(dataDir, name);
    const found = fs.statSync(file, { throwIfNoEntry: false });
    if (found?.size !== size) {
      throw new Error(
        `The base backup is damaged: ${name} has ${found?.size ?? 0} bytes instead of ${size}.`,
      );
    }
    const hash = createHash(algorithm.toLowerCase());
    await pipeline(fs.createReadStream(file), hash);
    if (hash.digest('hex') !== checksum) {
      throw new Error(`The base backup is damaged: the checksum of ${name} is wrong.`);
    }
  }
}
