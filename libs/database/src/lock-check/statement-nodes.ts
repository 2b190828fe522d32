import { type Node, parse, type RangeVar } from 'libpg-query';

export interface Statement {
  text: string;
  node: Node;
}

/** Splits a text into its statements. Throws an error if it is not valid SQL. */
export async function parseStatements(text: string): Promise<Statement[]> {
  const bytes = Buffer.from(text);
  const { stmts = [] } = await parse(text);
  return stmts.flatMap(({ stmt, stmt_location: start = 0, stmt_len: length }) =>
    stmt ? [{ text: bytes.subarray(start, length && start + length).toString(), node: stmt }] : [],
  );
}

/** Returns the names of the functions that an expression calls, without their schemas. */
export function namesOfFunctions(expression: Node | undefined): string[] {
  return findNodes(expression, ['FuncCall']).flatMap(({ funcname }) => {
    const name = (funcname as Node[] | undefined)?.at(-1);
    return name && 'String' in name && name.String.sval ? [name.String.sval] : [];
  });
}

const PLANNED = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'CreateTableAsStmt'];

/** Returns the tables whose rows a statement updates or deletes. Those of a new function do not count. */
export function changedTables(statement: Node): RangeVar[] {
  if (!Object.keys(statement).some((type) => PLANNED.includes(type))) return [];
  return findNodes(statement, ['UpdateStmt', 'DeleteStmt', 'MergeStmt']).map(
    ({ relation }) => relation as RangeVar,
  );
}

function findNodes(tree: unknown, types: string[]): Record<string, unknown>[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => [
    ...(types.includes(key) ? [value as Record<string, unknown>] : []),
    ...findNodes(value, types),
  ]);
}
