export {
  BackgroundJobs,
  createJobPool,
  EVERY_HOUR,
  EVERY_MINUTE,
  EVERY_TEN_MINUTES,
} from './background-jobs';
export { readReadyJobs } from './job-queue.repository';
export { JobMetrics } from './job-metrics';
export { JobWorker, type JobWorkerOptions } from './job-worker';
export { JobsModule } from './jobs.module';
