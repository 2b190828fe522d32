import { AccountRole } from './accounts/account-role.entity';
import { ApiKey } from './api-keys/api-key.entity';
import { Session } from './sessions/session.entity';

/** The tables that CredentialsModule reads. */
export const CREDENTIAL_ENTITIES = [AccountRole, ApiKey, Session];
