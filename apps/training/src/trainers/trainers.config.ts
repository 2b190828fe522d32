import { env } from '@inference/config';

export const trainersFields = {
  /** Comma-separated secrets with which trainers report usage; all are valid. Without one, no trainer can report. */
  TRAINER_CREDENTIALS: env.serviceSecrets().optional(),
};

/** Secrets of the trainers, in the form that the credentials module takes. */
export type TrainersConfig = Record<'trainer', string[]>;

export const trainersOf = (config: { TRAINER_CREDENTIALS?: string[] | undefined }): TrainersConfig => ({
  trainer: config.TRAINER_CREDENTIALS ?? [],
});
