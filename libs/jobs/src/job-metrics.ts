import { type Database } from '@inference/database';
import { addDatabaseGauges, type Metrics } from '@inference/http';
import { Counter } from 'prom-client';
import { readReadyJobs, type ReadyJobs } from './job-queue.repository';

/** Measures a queue, and the jobs that this process runs. */
export class JobMetrics {
  private readonly runs: Counter<'task'>;
  private readonly failures: Counter<'task' | 'retried'>;

  /** @param schema of the queue: a value of JOB_SCHEMAS */
  constructor(database: Database, { registry }: Metrics, schema: string) {
    addDatabaseGauges<ReadyJobs>(registry, database, {
      reading: 'job_queue',
      labels: ['task'],
      gauges: [
        {
          name: 'job_queue_ready_jobs',
          help: 'Jobs that could run and wait for a process; not above 10000 in all.',
          value: ({ jobs }) => jobs,
        },
        {
          name: 'job_queue_oldest_ready_seconds',
          help: 'How long the oldest of those counted could have run.',
          value: ({ seconds }) => seconds,
        },
      ],
      read: (executor) => readReadyJobs(executor, schema),
    });
    this.runs = new Counter({
      name: 'job_runs_total',
      help: 'Runs of jobs that have ended in this process.',
      labelNames: ['task'],
      registers: [registry],
    });
    this.failures = new Counter({
      name: 'job_failures_total',
      help: 'Runs that have failed, by whether the queue repeats them.',
      labelNames: ['task', 'retried'],
      registers: [registry],
    });
  }

  /** Shows these tasks with 0, so that their first failure is seen as an increase. */
  addTasks(tasks: string[]): void {
    for (const task of tasks) {
      this.runs.inc({ task }, 0);
      for (const retried of ['true', 'false']) this.failures.inc({ task, retried }, 0);
    }
  }

  countRun(task: string): void {
    this.runs.inc({ task });
  }

  countFailure(task: string, isRetried: boolean): void {
    this.failures.inc({ task, retried: String(isRetried) });
  }
}
