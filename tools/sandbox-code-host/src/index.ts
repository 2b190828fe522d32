export { type SandboxRelease } from './repositories';
export { type SandboxRequest } from './requests';
export { SandboxCodeHost, type SandboxCodeHostOptions } from './sandbox-code-host';
