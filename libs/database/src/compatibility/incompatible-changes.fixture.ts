import { type AlterTableCmd, type AlterTableStmt, type Node, type RangeVar } from 'libpg-query';
import { type Statement } from '../lock-check/checked-statements';

/** What a service that does not know the change may trip over. */
const ALTER_COLUMN: Partial<Record<string, string>> = {
  AT_AlterColumnType: 'TYPE',
  AT_SetNotNull: 'SET NOT NULL',
  AT_DropNotNull: 'DROP NOT NULL',
};
const ALTER_TABLE: Partial<Record<string, string>> = {
  AT_DropColumn: 'DROP COLUMN',
  AT_AddConstraint: 'ADD CONSTRAINT',
  AT_DropConstraint: 'DROP CONSTRAINT',
  AT_EnableRowSecurity: 'ENABLE ROW LEVEL SECURITY',
};
/** Constraints by which a row gets a value that no statement names. */
const FILLED = ['CONSTR_DEFAULT', 'CONSTR_IDENTITY', 'CONSTR_GENERATED'];
const REQUIRED = ['CONSTR_NOTNULL', 'CONSTR_PRIMARY'];

const qualified = (relation: RangeVar | undefined) =>
  [relation?.schemaname, relation?.relname].filter(Boolean).join('.');

/** The parts of a name: those of a table, function, type or schema. */
function partsOf(node: Node | undefined): string[] {
  if (!node) return [];
  if ('String' in node) return [node.String.sval ?? ''];
  if ('List' in node) return (node.List.items ?? []).flatMap(partsOf);
  if ('ObjectWithArgs' in node) return (node.ObjectWithArgs.objname ?? []).flatMap(partsOf);
  if ('TypeName' in node) return (node.TypeName.names ?? []).flatMap(partsOf);
  if ('RangeVar' in node) return [qualified(node.RangeVar)];
  return [];
}

const nameOf = (node: Node | undefined) => partsOf(node).join('.');
const kindOf = (type = '') => type.replace('OBJECT_', '').replace('TABCONSTRAINT', 'CONSTRAINT');

/** The table, index, function or schema that the statement creates. */
function createdBy({ node }: Statement): string[] {
  if ('CreateStmt' in node) return [qualified(node.CreateStmt.relation)];
  if ('IndexStmt' in node) {
    const { relation, idxname } = node.IndexStmt;
    return [[relation?.schemaname, idxname].filter(Boolean).join('.')];
  }
  if ('CreateFunctionStmt' in node && !node.CreateFunctionStmt.replace)
    return [(node.CreateFunctionStmt.funcname ?? []).flatMap(partsOf).join('.')];
  if ('CreateSchemaStmt' in node) return [node.CreateSchemaStmt.schemaname ?? ''];
  return [];
}

function needsValue({ def }: AlterTableCmd): boolean {
  const constraints = def && 'ColumnDef' in def ? (def.ColumnDef.constraints ?? []) : [];
  const kinds = constraints.map((node) => ('Constraint' in node ? (node.Constraint.contype ?? '') : ''));
  return kinds.some((kind) => REQUIRED.includes(kind)) && !kinds.some((kind) => FILLED.includes(kind));
}

function alterTable({ relation, cmds = [] }: AlterTableStmt): string[] {
  const table = `ALTER TABLE ${qualified(relation)}`;
  return cmds.flatMap((node) => {
    if (!('AlterTableCmd' in node)) return [];
    const command = node.AlterTableCmd;
    const { subtype = '', name, def } = command;
    const column = ALTER_COLUMN[subtype];
    if (column) return [`${table} ALTER ${name} ${column}`];
    if (subtype === 'AT_ColumnDefault' && !def) return [`${table} ALTER ${name} DROP DEFAULT`];
    if (subtype === 'AT_AddColumn' && needsValue(command)) {
      const added = def && 'ColumnDef' in def ? def.ColumnDef.colname : '';
      return [`${table} ADD ${added} NOT NULL without a default`];
    }
    const action = ALTER_TABLE[subtype];
    const constraint = def && 'Constraint' in def ? def.Constraint.conname : undefined;
    return action ? [[table, action, name ?? constraint].filter(Boolean).join(' ')] : [];
  });
}

function changesIn({ node }: Statement, isNew: (name: string) => boolean): string[] {
  if ('AlterTableStmt' in node)
    return isNew(qualified(node.AlterTableStmt.relation)) ? [] : alterTable(node.AlterTableStmt);
  if ('DropStmt' in node) {
    const { objects = [], removeType } = node.DropStmt;
    const old = objects.map(nameOf).filter((name) => !isNew(name));
    return old.map((name) => `DROP ${kindOf(removeType)} ${name}`);
  }
  if ('RenameStmt' in node) {
    const { relation, object, renameType, subname } = node.RenameStmt;
    const name = relation ? qualified(relation) : nameOf(object);
    return isNew(name) ? [] : [[`RENAME ${kindOf(renameType)}`, name, subname].filter(Boolean).join(' ')];
  }
  if ('AlterObjectSchemaStmt' in node) {
    const { relation, object } = node.AlterObjectSchemaStmt;
    return [`SET SCHEMA of ${relation ? qualified(relation) : nameOf(object)}`];
  }
  if ('IndexStmt' in node) {
    const { unique, relation } = node.IndexStmt;
    return unique && !isNew(qualified(relation)) ? [`CREATE UNIQUE INDEX on ${qualified(relation)}`] : [];
  }
  if ('CreateTrigStmt' in node) {
    const table = qualified(node.CreateTrigStmt.relation);
    return isNew(table) ? [] : [`CREATE TRIGGER on ${table}`];
  }
  if ('GrantStmt' in node && !node.GrantStmt.is_grant) {
    const old = (node.GrantStmt.objects ?? []).map(nameOf).filter((name) => !isNew(name));
    return old.map((name) => `REVOKE on ${name}`);
  }
  if ('TruncateStmt' in node)
    return (node.TruncateStmt.relations ?? []).map((relation) => `TRUNCATE ${nameOf(relation)}`);
  if ('DoStmt' in node || 'CallStmt' in node) return ['A block of code, which this check cannot look into'];
  return [];
}

/** Returns what statements create. It may be changed, because no older service knows it. */
export const namesCreatedBy = (statements: readonly Statement[]): string[] => statements.flatMap(createdBy);

/**
 * Returns the changes by which a service may fail that was written for the schema before the statements: what it uses is gone,
 * has another type or may be null, or what it writes is refused.
 * @param created what the service does not know
 */
export function findIncompatibleChanges(
  statements: readonly Statement[],
  created: readonly string[] = namesCreatedBy(statements),
): string[] {
  return statements.flatMap((statement) => changesIn(statement, (name) => created.includes(name)));
}
