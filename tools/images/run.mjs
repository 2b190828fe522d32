import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf } from '../setup/errors.mjs';
import { buildah } from './buildah.mjs';
import { ensureLocalBase, LOCAL_BASE } from './local-base.mjs';

/**
 * `npm run images`: builds the image of every app, or of those that the arguments name, with buildah or docker. The images are
 * named `<repository>/<app>:<tag>`. Prints how large each is over its base.
 */

const USAGE = `Usage: npm run images -- [app]… [options]

  --base IMAGE         what the images are built on (node:22-bookworm-slim)
  --local-base         a base that is made here, from the packages of Debian and npm; needs buildah, mmdebstrap and root
  --repository NAME    the part of their names in front of the app (inference-platform)
  --tag NAME           the part behind it (the version of package.json)
  --engine NAME        buildah or docker; the one that is installed, unless told`;

const ENGINES = ['buildah', 'docker'];
const BASE = 'node:22-bookworm-slim';
const REPOSITORY = 'inference-platform';
const MEGABYTE = 1e6;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** @param {string} engine */
const isInstalled = (engine) => spawnSync(engine, ['--version'], { stdio: 'ignore' }).status === 0;

/** @param {string | undefined} wanted @returns {string} */
function chooseEngine(wanted) {
  const engine = wanted ?? ENGINES.find(isInstalled);
  if (!engine) throw new Error('Neither buildah nor docker is installed.');
  if (!ENGINES.includes(engine)) throw new Error(`The engine is buildah or docker, not ${engine}.`);
  return engine;
}

/** @returns {string[]} */
const listApps = () =>
  fs
    .readdirSync(path.join(root, 'apps'))
    .filter((app) => fs.existsSync(path.join(root, 'apps', app, 'src/main.ts')));

/** @param {string[]} wanted @returns {string[]} all apps if none is named */
function chooseApps(wanted) {
  const apps = listApps();
  const unknown = wanted.filter((app) => !apps.includes(app));
  if (unknown.length > 0) throw new Error(`There is no app ${unknown.join(', ')}, only ${apps.join(', ')}.`);
  return wanted.length > 0 ? wanted : apps;
}

/** The commit, if this is a repository. */
function readRevision() {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}

/** @param {string} engine @param {string} image @returns {number} bytes of its layers; NaN if the engine does not have it */
function sizeOf(engine, image) {
  try {
    if (engine === 'docker')
      return Number(
        execFileSync(engine, ['image', 'inspect', '--format={{.Size}}', image], {
          encoding: 'utf8',
          stdio: 'pipe',
        }),
      );
    /** @type {{ layers: { size: number }[] }} */
    const { layers } = JSON.parse(JSON.parse(buildah('inspect', '--type=image', image)).Manifest);
    return layers.reduce((sum, { size }) => sum + size, 0);
  } catch {
    return NaN;
  }
}

/**
 * @param {string} engine
 * @param {string} image
 * @param {Record<string, string>} variables
 */
function build(engine, image, variables) {
  const command = engine === 'buildah' ? ['build', '--layers', '--format=docker'] : ['build'];
  const given = Object.entries(variables).map(([name, value]) => `--build-arg=${name}=${value}`);
  const args = [...command, '--file=docker/Dockerfile', ...given, `--tag=${image}`, '.'];
  const { status } = spawnSync(engine, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${engine} did not build ${image} (${status}).`);
}

/** Without the base, which docker may have built upon without keeping it, the whole sizes. @param {string} engine @param {string} base @param {string[]} images */
function printSizes(engine, base, images) {
  const ofBase = sizeOf(engine, base);
  console.log(
    `\n    MB${ofBase ? ` over ${base}, which has ${Math.round(ofBase / MEGABYTE)} MB` : ''}, in the images of ${engine}`,
  );
  for (const image of images) {
    const own = Math.round((sizeOf(engine, image) - (ofBase || 0)) / MEGABYTE);
    console.log(`${String(own).padStart(6)}  ${image}`);
  }
}

/** @throws with the usage if they are wrong */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        base: { type: 'string', default: BASE },
        'local-base': { type: 'boolean', default: false },
        repository: { type: 'string', default: REPOSITORY },
        tag: { type: 'string' },
        engine: { type: 'string' },
      },
    });
    return { ...values, apps: chooseApps(positionals), engine: chooseEngine(values.engine) };
  } catch (error) {
    throw new Error(`${messageOf(error)}\n\n${USAGE}`, { cause: error });
  }
}

function main() {
  const { apps, engine, repository, tag, ...wanted } = readArguments();
  const base = wanted['local-base'] ? LOCAL_BASE : wanted.base;
  if (base === LOCAL_BASE) ensureLocalBase();
  const { version: VERSION } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const REVISION = readRevision();
  const images = apps.map((APP) => {
    const image = `${repository}/${APP}:${tag ?? VERSION}`;
    build(engine, image, { APP, NODE_IMAGE: base, VERSION, REVISION });
    return image;
  });
  printSizes(engine, base, images);
}

try {
  main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
