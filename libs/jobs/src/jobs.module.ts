import { type DynamicModule, Module } from '@nestjs/common';
import { Database, JOB_SCHEMAS } from '@inference/database';
import { Metrics } from '@inference/http';
import { BackgroundJobs } from './background-jobs';
import { JobMetrics } from './job-metrics';

/** Provides the service's BackgroundJobs, and the metrics of its queue. */
@Module({})
export class JobsModule {
  /** @param service whose queue and database role it uses */
  static forRoot(
    service: keyof typeof JOB_SCHEMAS,
    { DATABASE_URL: databaseUrl }: { DATABASE_URL: string },
  ): DynamicModule {
    const schema = JOB_SCHEMAS[service];
    const options = { databaseUrl, schema, applicationName: `${service} jobs` };
    return {
      module: JobsModule,
      global: true,
      providers: [
        {
          provide: JobMetrics,
          inject: [Database, Metrics],
          useFactory: (database: Database, metrics: Metrics) => new JobMetrics(database, metrics, schema),
        },
        {
          provide: BackgroundJobs,
          inject: [JobMetrics],
          useFactory: (metrics: JobMetrics) => new BackgroundJobs({ ...options, metrics }),
        },
      ],
      exports: [BackgroundJobs, JobMetrics],
    };
  }
}
