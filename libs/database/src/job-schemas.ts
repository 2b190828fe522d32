/** The schema of each service's own job queue, by the role that works on it. */
export const JOB_SCHEMAS = { agent: 'agent_jobs', memo: 'memo_jobs' } as const;
