import {
  type ClusterStmt,
  type IndexStmt,
  type Node,
  type RefreshMatViewStmt,
  type ReindexStmt,
  type VacuumStmt,
} from 'libpg-query';
import { findAlterTableLocks } from './alter-table-locks';
import { type PossibleLock } from './possible-lock';

/** Returns the long locks that a statement may take. UPDATE, DELETE and MERGE are judged by their plans instead. */
export function findPossibleLocks(statement: Node): PossibleLock[] {
  if ('AlterTableStmt' in statement) return findAlterTableLocks(statement.AlterTableStmt);
  if ('IndexStmt' in statement) return createIndex(statement.IndexStmt);
  if ('ReindexStmt' in statement) return reindex(statement.ReindexStmt);
  if ('VacuumStmt' in statement) return vacuum(statement.VacuumStmt);
  if ('ClusterStmt' in statement) return cluster(statement.ClusterStmt);
  if ('RefreshMatViewStmt' in statement) return refresh(statement.RefreshMatViewStmt);
  if ('DoStmt' in statement || 'CallStmt' in statement)
    return [{ action: 'A block of code, which this check cannot look into,', instead: 'plain statements' }];
  return [];
}

/** Whether the statement waits for other transactions without keeping anyone from working. */
export function isConcurrent(statement: Node): boolean {
  if ('IndexStmt' in statement) return statement.IndexStmt.concurrent ?? false;
  if ('DropStmt' in statement) return statement.DropStmt.concurrent ?? false;
  return 'ReindexStmt' in statement && isEnabled('concurrently', statement.ReindexStmt.params);
}

function createIndex({ relation, concurrent }: IndexStmt): PossibleLock[] {
  if (concurrent) return [];
  const lock: PossibleLock = {
    relation,
    action: 'CREATE INDEX without CONCURRENTLY',
    instead: 'CREATE INDEX CONCURRENTLY in a migration without a transaction',
  };
  // On a partitioned table alone it creates an empty index, to which those of the partitions are attached.
  if (!relation?.inh) lock.applies = async (catalogue, oid) => !(await catalogue.isPartitioned(oid));
  return [lock];
}

function reindex({ relation, params }: ReindexStmt): PossibleLock[] {
  if (isEnabled('concurrently', params)) return [];
  const instead = 'REINDEX (CONCURRENTLY) in a migration without a transaction';
  return [{ relation, action: 'REINDEX without CONCURRENTLY', instead }];
}

function vacuum({ options, rels = [] }: VacuumStmt): PossibleLock[] {
  if (!isEnabled('full', options)) return [];
  const lock = { action: 'VACUUM FULL', instead: 'VACUUM' };
  if (rels.length === 0) return [lock];
  return rels.map((rel) => ({
    ...lock,
    relation: 'VacuumRelation' in rel ? rel.VacuumRelation.relation : undefined,
  }));
}

function cluster({ relation }: ClusterStmt): PossibleLock[] {
  return [{ relation, action: 'CLUSTER', instead: 'an index that suits the queries' }];
}

function refresh({ relation, concurrent }: RefreshMatViewStmt): PossibleLock[] {
  if (concurrent) return [];
  const action = 'REFRESH MATERIALIZED VIEW without CONCURRENTLY';
  return [{ relation, action, instead: 'REFRESH MATERIALIZED VIEW CONCURRENTLY' }];
}

/** Whether an option is given, with no value or with another one than false. */
function isEnabled(name: string, options: Node[] = []): boolean {
  return options.some((option) => {
    if (!('DefElem' in option) || option.DefElem.defname !== name) return false;
    const { arg } = option.DefElem;
    return !(arg && 'String' in arg && /^(false|off)$/i.test(arg.String.sval ?? ''));
  });
}
