export { BackgroundJobs } from './background-jobs';
export { EVERY_MINUTE, EVERY_TEN_MINUTES, EVERY_HOUR } from './intervals';
export { JobMetrics } from './job-metrics';
export { createJobPool } from './job-pool';
export { JobWorker, type JobWorkerOptions } from './job-worker';
export { JobsModule } from './jobs.module';
