import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type S3Config } from '@inference/storage';
import { rememberSecret } from '../secrets/remembered-secrets';
import { waitFor } from '../wait-for';
import { describeWhere, findFreePortRange, isExecutable } from './local-servers';

const KEEPERS = ['account', 'container', 'object'] as const;
const PROGRAMS = [
  'swift-ring-builder',
  'swift-proxy-server',
  ...KEEPERS.map((name) => `swift-${name}-server`),
];
const REGION = 'us-east-1';

/** `SWIFT_BIN`, or the folder of PATH that contains all of Swift's programs; undefined if there is none. */
function findSwift(): string | undefined {
  const { SWIFT_BIN, PATH = '' } = process.env;
  const folders = SWIFT_BIN ? [SWIFT_BIN] : PATH.split(delimiter);
  return folders.find((folder) => PROGRAMS.every((program) => isExecutable(join(folder, program))));
}

const SWIFT_BIN = findSwift();

/** Skips the tests if OpenStack Swift is not installed. */
export const describeWithSwift = (name: string, tests: () => void): void =>
  describeWhere(SWIFT_BIN !== undefined, 'no OpenStack Swift in the PATH, nor in SWIFT_BIN')(name, tests);

/** Makes the servers log to their output and not to syslog. */
const serverConf = (folder: string, port: number) => `
[DEFAULT]
user = ${userInfo().username}
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
swift_dir = ${folder}
devices = ${join(folder, 'devices')}
recon_cache_path = ${join(folder, 'cache')}
mount_check = false
fallocate_reserve = 0
log_level = WARNING
log_udp_host = 127.0.0.1
log_udp_port = 9
conn_timeout = 20
node_timeout = 60
container_update_timeout = 60
`;

/** Swift requires an address of memcached but works without one, so none listens there. */
const proxyConf = (secret: string) => `
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats cache s3api tempauth copy slo dlo versioned_writes proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
recoverable_node_timeout = 60
error_suppression_limit = 1000000
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
location = ${REGION}
max_upload_part_num = 10000
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${secret} .admin
${['catch_errors', 'gatekeeper', 'listing_formats', 'copy', 'slo', 'dlo', 'versioned_writes']
  .map((name) => `[filter:${name}]\nuse = egg:swift#${name}`)
  .join('\n')}
`;

const SWIFT_CONF = `
[swift-hash]
swift_hash_path_suffix = tests
[storage-policy:0]
name = default
default = yes
`;

/** Stops the servers and removes their folder when its input closes, so also when the test process dies. */
const KEEP = `
trap '' HUP INT TERM
folder=$1; shift
for server; do "$server" "$folder/\${server##*/}.conf" -v > "$folder/\${server##*/}.log" 2>&1 & pids="$pids $!"; done
cat > /dev/null
kill -9 $pids; wait; rm -rf "$folder"
`;
const MAKE_RINGS = `
builder=$1; shift
for ring; do (
  file=\${ring%:*}.builder; port=\${ring##*:}
  "$builder" "$file" create 0 1 0 && "$builder" "$file" add "r1z1-127.0.0.1:$port/disk" 1 && "$builder" "$file" rebalance
) & done
wait
`;

/**
 * A real OpenStack Swift that speaks the S3 protocol and verifies signatures. It stores one copy of each object in the
 * system's temporary folder, whose file system must support extended attributes.
 */
export class SwiftServer {
  private constructor(
    private readonly keeper: ChildProcess,
    readonly endpoint: string,
    private readonly secretAccessKey: string,
  ) {}

  /** Resolves when the server is ready. */
  static async start(): Promise<SwiftServer> {
    const folder = await mkdtemp(join(tmpdir(), 'swift-'));
    await mkdir(join(folder, 'devices', 'disk'), { recursive: true });
    await mkdir(join(folder, 'cache'));
    const proxyPort = await findFreePortRange(KEEPERS.length + 1);
    const ports = KEEPERS.map((_name, index) => proxyPort + 1 + index);
    const secret = randomBytes(20).toString('hex');
    rememberSecret(secret);
    const conf: Record<string, string> = {
      'swift.conf': SWIFT_CONF,
      'swift-proxy-server.conf': serverConf(folder, proxyPort) + proxyConf(secret),
    };
    for (const [index, name] of KEEPERS.entries())
      conf[`swift-${name}-server.conf`] = `${serverConf(folder, ports[index]!)}
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`;
    for (const [name, text] of Object.entries(conf))
      await writeFile(join(folder, name), text, { mode: 0o600 });
    const rings = KEEPERS.map((name, index) => `${join(folder, name)}:${ports[index]}`);
    const builder = join(SWIFT_BIN!, 'swift-ring-builder');
    await promisify(execFile)('sh', ['-c', MAKE_RINGS, 'sh', builder, ...rings]);
    const programs = PROGRAMS.slice(1).map((program) => join(SWIFT_BIN!, program));
    const keeper = spawn('sh', ['-c', KEEP, 'sh', folder, ...programs], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    const swift = new SwiftServer(keeper, `http://127.0.0.1:${proxyPort}`, secret);
    try {
      for (const port of [proxyPort, ...ports])
        await waitFor(() => fetch(`http://127.0.0.1:${port}/healthcheck`));
    } catch (error) {
      const log = await readFile(join(folder, 'swift-proxy-server.log'), 'utf8');
      await swift.stop();
      throw new Error(`Swift does not answer: ${log}`, { cause: error });
    }
    return swift;
  }

  /** Configuration with its only user; the bucket need not exist. */
  config(bucket: string): S3Config {
    return {
      bucket,
      region: REGION,
      endpoint: this.endpoint,
      publicEndpoint: undefined,
      credentials: { accessKeyId: 'test:tester', secretAccessKey: this.secretAccessKey },
      prefix: '',
      forcePathStyle: true,
    };
  }

  /** Stops the server; every test file must call it. */
  async stop(): Promise<void> {
    const ended = once(this.keeper, 'exit');
    this.keeper.stdin!.end();
    if (this.keeper.exitCode === null) await ended;
  }
}
