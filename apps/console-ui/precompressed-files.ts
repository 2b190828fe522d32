import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Plugin } from 'vite';

/** Fonts are compressed already. */
const COMPRESSIBLE = /\.(js|css|html|svg|json)$/;
/** What fits into the first packet of an answer gains nothing. */
const LEAST_BYTES = 1_024;

const COMPRESSORS = {
  br: (content: Buffer) =>
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
  gz: (content: Buffer) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
};

/** Puts a brotli and a gzip file beside each file that they make smaller. The console serves them to browsers that take them. */
export function precompressedFiles(): Plugin {
  let folder = '';
  return {
    name: 'precompressed-files',
    apply: 'build',
    configResolved: ({ root, build }) => void (folder = resolve(root, build.outDir)),
    closeBundle: () => compressFiles(folder),
  };
}

async function compressFiles(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  await Promise.all(
    names.filter((name) => COMPRESSIBLE.test(name)).map((name) => compress(join(folder, name))),
  );
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  if (content.length < LEAST_BYTES) return;
  for (const [extension, compressor] of Object.entries(COMPRESSORS)) {
    const compressed = await compressor(content);
    if (compressed.length < content.length) await writeFile(`${file}.${extension}`, compressed);
  }
}
