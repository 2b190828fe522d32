export { createApiKey, isApiKey } from './api-keys/api-key';
export { type Caller, CurrentCaller, type Role } from './caller';
export { Accepts, type CredentialKind, Roles } from './credentials.decorators';
export { CredentialsGuard } from './credentials.guard';
export { CredentialsModule, type CredentialsOptions } from './credentials.module';
export { OnBehalfException } from './services/on-behalf.exception';
export { hashSecretKey } from './secret-key';
export { SESSION_AUDIENCE, SESSION_COOKIE, sessionIssuer } from './sessions/session-token';
export { createWorkspaceKey } from './workspace-keys/workspace-key';
