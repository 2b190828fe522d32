import { type UploadResponse, type UploadState } from './package-uploads.dto';
import { type UploadWithParts } from './resumable-uploads.repository';

type Measured = Pick<UploadWithParts, 'size' | 'partBytes'>;

/** The number of parts. */
export const partsOf = ({ size, partBytes }: Measured): number => Math.ceil(Number(size) / Number(partBytes));

/** The bytes of a part. @param number from 1 to the number of parts */
export const partBytesAt = ({ size, partBytes }: Measured, number: number): number =>
  Math.min(Number(partBytes), Number(size) - (number - 1) * Number(partBytes));

/** The package may be stored before the upload is recorded as complete. */
export function stateOf({ completedAt, storedAt, failureCode, submittedAt }: UploadWithParts): UploadState {
  if (completedAt || storedAt) return 'complete';
  if (failureCode) return 'failed';
  return submittedAt ? 'completing' : 'uploading';
}

export function uploadResponse(upload: UploadWithParts): UploadResponse {
  const { failureCode: code, failureMessage: message } = upload;
  const state = stateOf(upload);
  return {
    id: upload.id,
    slug: upload.slug,
    version: upload.version,
    file_name: upload.fileName,
    size_bytes: Number(upload.size),
    sha256: upload.announcedSha256?.toString('hex') ?? null,
    file_modified_at: upload.fileModifiedAt?.toISOString() ?? null,
    part_bytes: Number(upload.partBytes),
    parts: partsOf(upload),
    arrived_parts: upload.arrivedParts,
    state,
    error: code === null || message === null ? null : { code, message },
    created_at: upload.createdAt.toISOString(),
    expires_at: state === 'complete' ? null : (upload.uploadingUntil?.toISOString() ?? null),
  };
}
