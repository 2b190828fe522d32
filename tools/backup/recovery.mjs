import fs from 'node:fs';
import path from 'node:path';
import { BACKUP_FOLDER, WAL_FOLDER } from '../postgres/backup-folder.mjs';
import { recoverDatabase } from '../postgres/postgres.mjs';
import { messageOf } from '../setup/errors.mjs';
import { Refusal } from './command.mjs';

/** Runs PostgreSQL on an extracted base backup until it has replayed the archived log. */

/** What PostgreSQL logs at the end of a recovery. */
const LAST_TRANSACTION = /last completed transaction was at log time (\S+) (\S+)\+00/;
const ENDED_EARLY = /recovery ended before configured recovery target was reached/;

/** @param {string} log @returns {string | null} the instant of the last transaction that was replayed */
function lastTransactionOf(log) {
  const match = LAST_TRANSACTION.exec(log);
  return match && `${match[1]}T${match[2]}Z`;
}

/**
 * @param {{ dataDir: string, backupDir: string, time: string | undefined }} options `time`: everything that was committed
 *   until then is restored; without it all that is archived
 * @returns {Promise<string | null>} the instant of the last restored transaction; null if the log has none
 * @throws Refusal if the archive ends before the moment
 */
export async function recover({ dataDir, backupDir, time }) {
  fs.writeFileSync(path.join(dataDir, 'recovery.signal'), '');
  const logFile = `${dataDir}.log`;
  fs.rmSync(logFile, { force: true });
  const settings = {
    restore_command: `cp '${BACKUP_FOLDER}/${WAL_FOLDER}/%f' '%p'`,
    recovery_target_action: 'promote',
    ...(time === undefined ? {} : { recovery_target_time: time.replace('T', ' ').replace('Z', '+00') }),
  };
  try {
    await recoverDatabase({ dataDir, backupDir, settings, logFile });
    return lastTransactionOf(fs.readFileSync(logFile, 'utf8'));
  } catch (cause) {
    const log = messageOf(cause);
    if (!ENDED_EARLY.test(log)) throw cause;
    const last = lastTransactionOf(log);
    throw new Refusal(
      `--time: must not be after the last transaction in the archive${last ? `, of ${last}` : ''}. ` +
        'Without --time all of the archive is restored.',
      { cause },
    );
  } finally {
    fs.rmSync(logFile, { force: true });
  }
}
