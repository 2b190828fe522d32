/** The schema of each service's own job queue, by the role that works on it. */
export const JOB_SCHEMAS = {
  agent: 'agent_jobs',
  console: 'console_jobs',
  gateway: 'gateway_jobs',
  memo: 'memo_jobs',
} as const;
