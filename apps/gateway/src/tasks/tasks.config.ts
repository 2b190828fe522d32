import { env } from '@inference/config';

export const tasksFields = {
  /** Largest form with audio in MiB. */
  AUDIO_UPLOAD_LIMIT_MIB: env.integer(1, 128).default(25),
};

export interface TasksConfig {
  audioUploadLimitBytes: number;
}

export const TASKS_CONFIG = Symbol('TASKS_CONFIG');

const MEBIBYTE = 1024 * 1024;

export const tasksOf = (config: { AUDIO_UPLOAD_LIMIT_MIB: number }): TasksConfig => ({
  audioUploadLimitBytes: config.AUDIO_UPLOAD_LIMIT_MIB * MEBIBYTE,
});
