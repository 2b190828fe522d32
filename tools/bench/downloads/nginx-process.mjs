import { spawn } from 'node:child_process';

/** Runs the binary NGINX with the configuration file CONFIGURATION until this process ends. */

const { NGINX = '', CONFIGURATION = '' } = process.env;
const nginx = spawn(NGINX, ['-c', CONFIGURATION, '-e', 'stderr'], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
nginx.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
nginx.on('exit', (code) => process.exit(code ?? 1));
process.on('SIGTERM', () => nginx.kill('SIGTERM'));
process.on('exit', () => nginx.kill('SIGKILL'));
