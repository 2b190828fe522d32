import {
  checkStorage,
  type StorageBackend,
  storageBackendOf,
  storageFieldsNamed,
  storageSettingsNamed,
} from '@inference/storage';
import { z } from 'zod';

export const EXPORT_CONFIG = Symbol('EXPORT_CONFIG');

const PREFIX = 'EXPORT_';

export const exportFields = {
  ...storageFieldsNamed(PREFIX),
  /** The day (UTC) from which hours are exported. */
  EXPORT_FROM: z.iso.date('must be a day such as 2026-01-31').optional(),
};

type ExportFields = z.output<z.ZodObject<typeof exportFields>>;

const isOn = ({ EXPORT_STORAGE_FOLDER: folder, EXPORT_S3_BUCKET: bucket }: Partial<ExportFields>) =>
  folder !== undefined || bucket !== undefined;

/** Reports settings that contradict each other, and those without a place for the files. */
export function checkExport(config: Partial<ExportFields>, context: z.RefinementCtx): void {
  checkStorage(storageSettingsNamed(PREFIX, config), context, PREFIX);
  if (config.EXPORT_FROM !== undefined && !isOn(config))
    context.addIssue({
      code: 'custom',
      path: ['EXPORT_FROM'],
      message: 'is set, but neither EXPORT_STORAGE_FOLDER nor EXPORT_S3_BUCKET is',
    });
}

/** Of one file. Chosen: some 10 MB compressed, which are in memory while they are stored. */
const FILE_ROWS = 100_000;

/** Where usage and ledger are exported to. */
export interface ExportConfig {
  fileRows: number;
  /** Null: they are not exported. */
  backend: StorageBackend | null;
  /** Null: the newest hour is the first one. */
  from: Date | null;
}

export function exportOf(config: ExportFields): ExportConfig {
  const { EXPORT_FROM: from } = config;
  return {
    fileRows: FILE_ROWS,
    backend: isOn(config) ? storageBackendOf(storageSettingsNamed(PREFIX, config)) : null,
    from: from === undefined ? null : new Date(from),
  };
}
