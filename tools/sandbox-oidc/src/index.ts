export { type SignIn } from './browser';
export { SandboxOidc, type SandboxOidcOptions } from './sandbox-oidc';
