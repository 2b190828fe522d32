import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';

/**
 * docker/compose.yaml, as compose reads it.
 *
 * @typedef {Record<string, string>} Environment
 *
 * @typedef {object} ComposeService
 * @property {{ args?: { APP?: string, VERSION?: string } }} [build]
 * @property {string[]} [command] instead of the image's
 * @property {Environment} [environment]
 */

export const APPS = ['agent', 'agent-environments', 'console', 'gateway', 'memo', 'router-cost', 'training'];

/** What stands for an empty variable may name other ones. */
const REFERENCE = /\$\{(\w+)(?::([-?])((?:[^{}]|\$\{[^{}]*\})*))?\}/g;

/** @param {string} root of the checkout @returns {Record<string, ComposeService>} by name */
export const readServices = (root) =>
  parse(fs.readFileSync(path.join(root, 'docker/compose.yaml'), 'utf8'), { merge: true }).services;

/** What make-env.mjs writes. @param {string} root of the checkout @returns {Environment} */
export function generateVariables(root) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'make-env-'));
  try {
    const file = path.join(folder, 'site.env');
    execFileSync(process.execPath, [path.join(root, 'docker/make-env.mjs'), file]);
    const assignments = fs.readFileSync(file, 'utf8').matchAll(/^(\w+)=(.*)$/gm);
    return Object.fromEntries(
      [...assignments].map(([, name = '', value = '']) => [name, value.replace(/^'(.*)'$/, '$1')]),
    );
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/**
 * An empty variable counts as unset, as the colon says.
 * @param {string} text
 * @param {Environment} variables
 * @returns {string}
 */
const interpolate = (text, variables) =>
  text.replace(REFERENCE, (_whole, name, operator, rest = '') => {
    const value = variables[name];
    if (value) return value;
    if (operator === '-') return interpolate(rest, variables);
    throw new Error(`${name} is not set.`);
  });

/**
 * The environment of a service with the variables of an env file.
 * @param {ComposeService} service
 * @param {Environment} variables
 * @returns {Environment}
 */
export const environmentOf = ({ environment = {} }, variables) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, interpolate(String(value), variables)]),
  );
