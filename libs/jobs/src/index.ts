export { JobWorker, type JobWorkerOptions, type ScheduledJob } from './job-worker';
