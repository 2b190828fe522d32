import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ApiKeyDirectory } from './api-keys/api-key-directory';
import { CredentialsGuard } from './credentials.guard';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from './credentials.options';
import { OnBehalfDirectory } from './services/on-behalf-directory';
import { ServiceCredentials } from './services/service-credentials';
import { SessionDirectory } from './sessions/session-directory';
import { WorkspaceKeyDirectory } from './workspace-keys/workspace-key-directory';

export { type CredentialsOptions } from './credentials.options';

/** Closes every route of the app that imports it (see CredentialsGuard). */
@Global()
@Module({})
export class CredentialsModule {
  static forRoot(options: CredentialsOptions): DynamicModule {
    return {
      module: CredentialsModule,
      providers: [
        { provide: CREDENTIALS_OPTIONS, useValue: options },
        ApiKeyDirectory,
        SessionDirectory,
        ServiceCredentials,
        OnBehalfDirectory,
        WorkspaceKeyDirectory,
        { provide: APP_GUARD, useClass: CredentialsGuard },
      ],
    };
  }
}
