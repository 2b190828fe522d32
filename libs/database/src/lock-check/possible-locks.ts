import {
  type AlterTableCmd,
  type AlterTableStmt,
  type ClusterStmt,
  type ColumnDef,
  type Constraint,
  type IndexStmt,
  type Node,
  type RangeVar,
  type RefreshMatViewStmt,
  type ReindexStmt,
  type VacuumStmt,
} from 'libpg-query';
import { type Catalogue } from './catalogue';

/** What a statement does for as long as it takes to read or write a whole table, while others cannot write to it. */
export interface PossibleLock {
  /** A table, or one of its indexes. Absent if it may be any table. */
  relation?: RangeVar;
  action: string;
  instead: string;
  /** Absent if the table is always locked. */
  applies?: (catalogue: Catalogue, tableOid: string) => Promise<boolean>;
}

const WITH_INDEX_FIRST =
  'CREATE UNIQUE INDEX CONCURRENTLY in a migration without a transaction, then ADD CONSTRAINT … USING INDEX';
const VALIDATE_LATER = 'ADD CONSTRAINT … NOT VALID, then VALIDATE CONSTRAINT in a migration of its own';

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
export function isEnabled(name: string, options: Node[] = []): boolean {
  return options.some((option) => {
    if (!('DefElem' in option) || option.DefElem.defname !== name) return false;
    const { arg } = option.DefElem;
    return !(arg && 'String' in arg && /^(false|off)$/i.test(arg.String.sval ?? ''));
  });
}

const NEW_COLUMN =
  'a new column, which is filled in batches and takes the place of the old one in a later release';
const FILL_LATER = 'ADD COLUMN without it; then set the default and fill the rows in batches';
const WRITTEN_COLUMN = 'a column that the service writes, or GENERATED … VIRTUAL';
const SERIAL = /^(small|big)?serial\d?$/;

const REWRITES: Partial<Record<string, string>> = {
  AT_AlterColumnType: 'ALTER COLUMN TYPE',
  AT_SetExpression: 'SET EXPRESSION',
  AT_SetLogged: 'SET LOGGED',
  AT_SetUnLogged: 'SET UNLOGGED',
  AT_SetAccessMethod: 'SET ACCESS METHOD',
  AT_SetTableSpace: 'SET TABLESPACE',
};

function findAlterTableLocks({ relation, cmds = [], objtype }: AlterTableStmt): PossibleLock[] {
  const commands = cmds
    .flatMap((node) => ('AlterTableCmd' in node ? [node.AlterTableCmd] : []))
    // An index that is attached to that of the partitioned table is not read.
    .filter(({ subtype }) => !(objtype === 'OBJECT_INDEX' && subtype === 'AT_AttachPartition'));
  const onlyValidates = commands.every(({ subtype }) => subtype === 'AT_ValidateConstraint');
  return commands.flatMap((command) =>
    findActions(command, onlyValidates).map((action) => ({ relation, ...action })),
  );
}

function findActions(command: AlterTableCmd, onlyValidates: boolean): PossibleLock[] {
  const { subtype = '', def, name = '' } = command;
  const rewrite = REWRITES[subtype];
  if (rewrite) return [{ action: rewrite, instead: NEW_COLUMN }];
  if (subtype === 'AT_AddColumn' && def && 'ColumnDef' in def) return addColumn(def.ColumnDef);
  if (subtype === 'AT_AddConstraint' && def && 'Constraint' in def) return addConstraint(def.Constraint);
  if (subtype === 'AT_AttachPartition' && def && 'PartitionCmd' in def)
    return [
      {
        relation: def.PartitionCmd.name,
        action: 'ATTACH PARTITION of a filled table',
        instead: 'a partition that is attached while it is empty',
      },
    ];
  if (subtype === 'AT_SetNotNull')
    return [
      {
        action: `SET NOT NULL of ${name} without a validated constraint`,
        instead: `ADD CONSTRAINT … CHECK (${name} IS NOT NULL) NOT VALID, then VALIDATE CONSTRAINT and SET NOT NULL in a migration each`,
        applies: async (catalogue, oid) => !(await catalogue.isProvedNotNull(oid, name)),
      },
    ];
  if (subtype === 'AT_ValidateConstraint')
    return [
      {
        action: 'VALIDATE CONSTRAINT after a statement that locks the table',
        instead: 'VALIDATE CONSTRAINT in a migration of its own',
        applies: async (catalogue, oid) => !onlyValidates || catalogue.isLockedAgainstWrites(oid),
      },
    ];
  return [];
}

function addColumn({ typeName, constraints = [] }: ColumnDef): PossibleLock[] {
  const given = constraints.flatMap((node) => ('Constraint' in node ? [node.Constraint] : []));
  const type = typeName?.names?.at(-1);
  const isSerial = type !== undefined && 'String' in type && SERIAL.test(type.String.sval ?? '');
  const fills = given.find(({ contype }) => contype === 'CONSTR_DEFAULT');
  const actions: PossibleLock[] = [];
  if (isSerial || given.some(({ contype }) => contype === 'CONSTR_IDENTITY'))
    actions.push({ action: 'ADD COLUMN with a sequence', instead: FILL_LATER });
  if (given.some(({ contype, generated_kind }) => contype === 'CONSTR_GENERATED' && generated_kind !== 'v'))
    actions.push({ action: 'ADD COLUMN … GENERATED … STORED', instead: WRITTEN_COLUMN });
  const functions = namesOfFunctions(fills?.raw_expr);
  if (functions.length > 0)
    actions.push({
      action: 'ADD COLUMN with a volatile default',
      instead: FILL_LATER,
      applies: (catalogue) => catalogue.areVolatile(functions),
    });
  for (const constraint of given) {
    // The column is null in all rows, so PostgreSQL does not look them up.
    if (constraint.contype === 'CONSTR_FOREIGN' && !fills) continue;
    if (constraint.contype !== 'CONSTR_NOTNULL') actions.push(...addConstraint(constraint));
  }
  return actions;
}

function addConstraint({ contype, skip_validation, indexname }: Constraint): PossibleLock[] {
  switch (contype) {
    case 'CONSTR_CHECK':
    case 'CONSTR_FOREIGN':
    case 'CONSTR_NOTNULL':
      return skip_validation ? [] : [{ action: 'A constraint without NOT VALID', instead: VALIDATE_LATER }];
    case 'CONSTR_PRIMARY':
    case 'CONSTR_UNIQUE':
    case 'CONSTR_EXCLUSION':
      return indexname ? [] : [{ action: 'A constraint that builds an index', instead: WITH_INDEX_FIRST }];
    default:
      return [];
  }
}

/** Returns the names of the functions that an expression calls, without their schemas. */
function namesOfFunctions(expression: Node | undefined): string[] {
  return findNodes(expression, ['FuncCall']).flatMap(({ funcname }) => {
    const name = (funcname as Node[] | undefined)?.at(-1);
    return name && 'String' in name && name.String.sval ? [name.String.sval] : [];
  });
}

export function findNodes(tree: unknown, types: string[]): Record<string, unknown>[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => [
    ...(types.includes(key) ? [value as Record<string, unknown>] : []),
    ...findNodes(value, types),
  ]);
}
