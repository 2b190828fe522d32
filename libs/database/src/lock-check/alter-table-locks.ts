import { type AlterTableCmd, type AlterTableStmt, type ColumnDef, type Constraint } from 'libpg-query';
import { namesOfFunctions, type PossibleLock, VALIDATE_LATER, WITH_INDEX_FIRST } from './checked-statements';

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

export function findAlterTableLocks({ relation, cmds = [], objtype }: AlterTableStmt): PossibleLock[] {
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
