export {
  AccountRole,
  ApiKey,
  CREDENTIAL_ENTITIES,
  FormerKeySecret,
  KEY_KINDS,
  type KeyKind,
  type SecondFactorProof,
  Session,
  SPEND_PERIODS,
  type SpendPeriod,
} from './credentials.entity';
export { createApiKey, isApiKey } from './credentials.repository';
export { API_KEY_CREDENTIALS } from './api-keys/api-key.strategy';
export {
  allowsModel,
  type Caller,
  callerOf,
  CurrentCaller,
  type KeyPace,
  restrictedKeyIdOf,
  SUSPENDED,
} from './caller';
export {
  ACCEPTS,
  Accepts,
  type CredentialKind,
  type CredentialKinds,
  READS_CREDENTIAL,
  ReadsCredential,
  SECOND_FACTOR_SETUP,
  SecondFactorSetup,
  StaffOnly,
} from './credentials.decorators';
export { KeyRefusedException } from './known-caller';
export { isNetwork } from './api-keys/networks';
export {
  CredentialsGuard,
  ACCOUNT_SUSPENDED,
  ACCOUNT_SUSPENDED_MESSAGE,
  AccountSuspendedException,
} from './credentials.guard';
export { CredentialsModule } from './credentials.module';
export { type CredentialsOptions, type StaffTwoFactor } from './credentials.options';
export {
  createSecretKey,
  hashSecretKey,
  isSecretKey,
  type KeyHashSecrets,
  possibleHashes,
} from './secret-key';
export { staffRolesOf } from './route-access';
export { VIEW_HEADER } from './staff/account-views';
export {
  type Role,
  ROLES,
  rolesOfRoute,
  ROUTES_IN_VIEW,
  seesAllCost,
  STAFF_ROUTES,
  type StaffRole,
  STAFF_ROLES,
  VIEW_ROUTE,
} from './staff/staff-table';
export { OnBehalfException, serviceCallerCredentials } from './service-caller.strategy';
export { type Suspended, Suspensions, SuspensionsModule } from './suspensions';
export { isFromForeignPage, SESSION_CREDENTIALS } from './sessions/session.strategy';
export { SESSION_AUDIENCE, sessionIssuer } from './sessions/session-token.strategy';
export {
  type AuthenticateOptions,
  type CredentialRegistration,
  CredentialStrategy,
  type Identity,
  identityOf,
} from './credential.strategy';
