import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { buildah } from './buildah.mjs';

/**
 * Runs an image as an engine would: a process tree of its own whose first process is the image's command, with the image's user
 * and variables, on a root file system that cannot be written to. Needs root.
 *
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
 * @property {string} [hosts] file that is /etc/hosts in there
 * @property {string} [storage] folder for the only place in the image that is written to
 *
 * @typedef {object} Running
 * @property {import('node:child_process').ChildProcessWithoutNullStreams} child ends as the command ends
 * @property {() => number} pid of the command, as this machine sees it; throws unless it runs
 */

/** Arguments: root folder, hosts file, folder of the storage, user, working folder, command. */
const SCRIPT = `
set -e
root=$1 hosts=$2 storage=$3 user=$4 folder=$5
shift 5
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
if [ -n "$hosts" ]; then mount --bind "$hosts" "$root/etc/hosts"; fi
if [ -n "$storage" ]; then mount --bind "$storage" "$root/platform/storage"; fi
exec chroot --userspec="$user" "$root" env --chdir="$folder" "$@"
`;

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
  run(environment, { command = this.config.Cmd, namespace, hosts = '', storage = '' } = {}) {
    const { User, Env, WorkingDir } = this.config;
    const own = Env.map((variable) => /** @type {[string, string]} */ (variable.split(/=(.*)/s).slice(0, 2)));
    const isolated = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', SCRIPT, 'sh'];
    const [program = '', ...args] = [
      ...(namespace ? ['ip', 'netns', 'exec', namespace] : []),
      ...isolated,
      ...[this.#root, hosts, storage, User, WorkingDir],
      ...command,
    ];
    const child = spawn(program, args, { env: { ...Object.fromEntries(own), ...environment } });
    const children = `/proc/${child.pid}/task/${child.pid}/children`;
    const pid = () => {
      const found = Number.parseInt(fs.existsSync(children) ? fs.readFileSync(children, 'utf8') : '', 10);
      // A signal to the process 0 would reach this process and its group.
      if (!found) throw new Error('The command does not run.');
      return found;
    };
    return { child, pid };
  }

  remove() {
    buildah('rm', this.name);
  }
}
