import { type Executor } from '@inference/database';
import { IsNull, Not } from 'typeorm';
import { type Package } from '../../model.entity';
import { ResumableUpload, type UploadFailureCode } from './resumable-upload.entity';

/** An upload that only this process completes until its claim ends. */
export type ClaimedUpload = Pick<Package, 'id' | 'slug' | 'version' | 'size' | 'uploadedBy'> &
  Pick<ResumableUpload, 'partBytes' | 'storageUploadId' | 'announcedSha256' | 'submittedFrom' | 'attempts'>;

/** Long enough to outlast short outages of the database; another process takes over so long after a crash. */
const CLAIM_SECONDS = 60;
/** Chosen: a short outage of the storage delays a package by seconds; a long one causes one attempt in five minutes. */
const FIRST_DELAY_SECONDS = 5;
const LONGEST_DELAY_SECONDS = 300;

const CLAIM = `
  UPDATE catalogue.resumable_uploads u
  SET attempts = u.attempts + 1, claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
  FROM catalogue.packages p
  WHERE p.id = u.package_id AND u.package_id = $1 AND u.due_at <= now() AND p.removed_at IS NULL
  RETURNING p.id, p.slug, p.version, p.size, p.uploaded_by AS "uploadedBy", u.part_bytes AS "partBytes",
    u.storage_upload_id AS "storageUploadId", u.announced_sha256 AS "announcedSha256",
    u.submitted_from AS "submittedFrom", u.attempts`;

/** Claims the completion of an upload, unless it is not due, another process has claimed it, or it was given up. */
export async function claimCompletion(executor: Executor, id: string): Promise<ClaimedUpload | undefined> {
  return (await executor.query<ClaimedUpload>(CLAIM, [id])).rows[0];
}

type Claim = Pick<ClaimedUpload, 'id' | 'attempts'>;

/** Only while the claim is held: the number of attempts changes with every claim. */
const held = ({ id, attempts }: Claim) => ({ packageId: id, attempts, nextAttemptAt: Not(IsNull()) });

/** Extends the claim. Returns false if another process has claimed the upload, or if it was discarded. */
export async function renewClaim(executor: Executor, claim: Claim): Promise<boolean> {
  const { affected } = await executor
    .repository(ResumableUpload)
    .update(held(claim), { claimedUntil: () => `now() + make_interval(secs => ${CLAIM_SECONDS})` });
  return affected === 1;
}

/** Ends the claim early, so that another process can continue at once. */
export async function releaseClaim(executor: Executor, claim: Claim): Promise<void> {
  await executor.repository(ResumableUpload).update(held(claim), { claimedUntil: null });
}

/** Schedules the next attempt with exponential backoff. */
export async function postponeCompletion(executor: Executor, claim: Claim): Promise<void> {
  const delaySeconds = Math.min(FIRST_DELAY_SECONDS * 2 ** (claim.attempts - 1), LONGEST_DELAY_SECONDS);
  await executor.repository(ResumableUpload).update(held(claim), {
    nextAttemptAt: () => `now() + make_interval(secs => ${delaySeconds})`,
    claimedUntil: null,
  });
}

export async function recordCompletion(executor: Executor, claim: Claim): Promise<void> {
  await executor
    .repository(ResumableUpload)
    .update(held(claim), { completedAt: () => 'now()', nextAttemptAt: null, claimedUntil: null });
}

/** Returns false if the claim has ended. */
export async function recordFailure(
  executor: Executor,
  claim: Claim,
  failure: { code: UploadFailureCode; message: string },
): Promise<boolean> {
  const { affected } = await executor.repository(ResumableUpload).update(held(claim), {
    failureCode: failure.code,
    failureMessage: failure.message,
    nextAttemptAt: null,
    claimedUntil: null,
  });
  return affected === 1;
}
