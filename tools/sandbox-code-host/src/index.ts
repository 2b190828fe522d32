export { type SandboxRelease } from './repositories/repositories';
export { type SandboxRequest } from './request-log';
export { SandboxCodeHost, type SandboxCodeHostOptions } from './sandbox-code-host';
