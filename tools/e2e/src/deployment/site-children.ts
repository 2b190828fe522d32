import { readdirSync, readFileSync } from 'node:fs';

/** The processes of `npm start`, from /proc. */
interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** What the command line of each process of a site contains. */
const COMMANDS: Record<string, string> = {
  postgres: 'bin/postgres -D',
  'supervisor of postgres': 'tools/postgres/supervisor.mjs',
  console: 'apps/console/src/main.js',
  training: 'apps/training/src/main.js',
  'router-cost': 'apps/router-cost/src/main.js',
  agent: 'apps/agent/src/main.js',
  memo: 'apps/memo/src/main.js',
  'ingestion of memo': 'apps/memo/src/ingestion/main.js',
  'agent-environments': 'apps/agent-environments/src/main.js',
  gateway: 'apps/gateway/src/main.js',
  'sandbox-engine': 'tools/sandbox-engine/src/main.js',
  'sandbox-oidc': 'tools/sandbox-oidc/src/main.js',
  'sandbox-payments': 'tools/sandbox-payments/src/main.js',
  'sandbox-code-host': 'tools/sandbox-code-host/src/main.js',
  'usage-archive': 'libs/usage-archive/src/command.js',
};

/** Every process that `npm start` runs with all sandboxes and the archive of usage. */
export const CHILDREN = Object.keys(COMMANDS);

function readProcess(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return [];
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return [{ pid, parent: Number(parent), command }];
  } catch {
    return [];
  }
}

/** All processes that a process has started, and those that these have started. */
function descendantsOf(pid: number): Process[] {
  const all = readdirSync('/proc')
    .map(Number)
    .filter((each) => each > 0)
    .flatMap(readProcess);
  const below = (parent: number): Process[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)]);
  return below(pid);
}

/** The process of a child, or null while it does not run. */
export function findChild(launcherPid: number, name: string): number | null {
  const found = descendantsOf(launcherPid).find(({ command }) => command.includes(COMMANDS[name]!));
  return found?.pid ?? null;
}
