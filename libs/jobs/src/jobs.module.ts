import { type DynamicModule, Module } from '@nestjs/common';
import { JOB_SCHEMAS } from '@inference/database';
import { BackgroundJobs } from './background-jobs';

/** Provides the service's BackgroundJobs. */
@Module({})
export class JobsModule {
  /** @param service whose queue and database role it uses */
  static forRoot(
    service: keyof typeof JOB_SCHEMAS,
    { DATABASE_URL: databaseUrl }: { DATABASE_URL: string },
  ): DynamicModule {
    const schema = JOB_SCHEMAS[service];
    const useFactory = () => new BackgroundJobs({ databaseUrl, schema, applicationName: `${service} jobs` });
    return {
      module: JobsModule,
      global: true,
      providers: [{ provide: BackgroundJobs, useFactory }],
      exports: [BackgroundJobs],
    };
  }
}
