import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { buildah } from './buildah.mjs';

/**
 * @typedef {object} ImageConfig as the image format of Docker and OCI has it
 * @property {string} User
 * @property {string[]} Env
 * @property {string[]} Cmd
 * @property {string} WorkingDir
 * @property {Record<string, string>} Labels
 *
 * @typedef {object} RunOptions
 * @property {string[]} [command] instead of the image's
 * @property {string} [namespace] of the network; that of this process unless told
 * @property {[source: string, target: string][]} [mounts] files and folders of this machine, and where they are in there. Nothing
 *   else in there can be written to
 *
 * @typedef {object} Running
 * @property {import('node:child_process').ChildProcessWithoutNullStreams} child ends as the command ends
 * @property {() => number} pid of the command, as this machine sees it; throws unless it runs
 */

/** Arguments: root folder, user, working folder, number of mounts, source and target of each, command. */
const SCRIPT = `
set -e
root=$1 user=$2 folder=$3 mounts=$4
shift 4
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$mounts" -gt 0 ]; do
  mount --bind "$1" "$root$2"
  mounts=$((mounts - 1))
  shift 2
done
exec chroot --userspec="$user" "$root" env --chdir="$folder" "$@"
`;

/**
 * Runs a command in a process tree of its own, on a root file system that cannot be written to. Needs root.
 * @param {string} root
 * @param {{ user: string, folder: string, environment: NodeJS.ProcessEnv, command: string[] } & Pick<RunOptions, 'namespace' | 'mounts'>} options
 * @returns {Running}
 */
export function runIn(root, { user, folder, environment, command, namespace, mounts = [] }) {
  const isolated = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', SCRIPT, 'sh'];
  const [program = '', ...args] = [
    ...(namespace ? ['ip', 'netns', 'exec', namespace] : []),
    ...isolated,
    ...[root, user, folder, String(mounts.length), ...mounts.flat()],
    ...command,
  ];
  const child = spawn(program, args, { env: environment });
  const children = `/proc/${child.pid}/task/${child.pid}/children`;
  const pid = () => {
    const found = Number.parseInt(fs.existsSync(children) ? fs.readFileSync(children, 'utf8') : '', 10);
    // A signal to the process 0 would reach this process and its group.
    if (!found) throw new Error('The command does not run.');
    return found;
  };
  return { child, pid };
}

/** An image that runs as an engine would run it: with the user and the variables of the image, and its command first. */
export class Container {
  #root;

  /** @param {string} image that buildah has here */
  constructor(image) {
    /** For the commands of buildah. */
    this.name = buildah('from', '--pull-never', image);
    this.#root = buildah('mount', this.name);
    /** @type {ImageConfig} */
    this.config = JSON.parse(buildah('inspect', this.name)).Docker.config;
  }

  /** @param {string} file @returns {string} where a file of the image lies on this machine */
  fileOf(file) {
    return path.join(this.#root, file);
  }

  /**
   * @param {Record<string, string>} environment in addition to the image's
   * @param {RunOptions} [options]
   * @returns {Running}
   */
  run(environment, { command = this.config.Cmd, namespace, mounts = [] } = {}) {
    const { User, Env, WorkingDir } = this.config;
    const own = Env.map((variable) => /** @type {[string, string]} */ (variable.split(/=(.*)/s).slice(0, 2)));
    return runIn(this.#root, {
      user: User,
      folder: WorkingDir,
      environment: { ...Object.fromEntries(own), ...environment },
      command,
      ...(namespace === undefined ? {} : { namespace }),
      mounts,
    });
  }

  remove() {
    buildah('rm', this.name);
  }
}
