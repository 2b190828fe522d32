import { execFileSync, spawnSync } from 'node:child_process';

/** @param {string[]} args @returns {string} what it printed, without the end of the line */
export const buildah = (...args) =>
  execFileSync('buildah', args, { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 }).trim();

/** @param {string} image */
export const hasImage = (image) =>
  spawnSync('buildah', ['inspect', '--type=image', image], { stdio: 'ignore' }).status === 0;
