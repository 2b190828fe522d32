import { parse } from 'libpg-query';

/**
 * Which accounts a statement reads or changes.
 *
 * @import { AccountTables } from './account-tables.mjs'
 *
 * @typedef {'job' | 'batch' | 'report' | 'admin' | 'key' | 'operator'} Kind
 * @typedef {{ place: string, kind: Kind, tables: string[], why: string }} CrossingStatement `place`: file and function, or `function` or
 *   `view`, and its name in the database
 *
 * @typedef {object} StatementScope
 * @property {string[]} tables of accounts that it uses
 * @property {string[]} crossed of them, those whose rows nothing binds to one account: neither its id, nor a unique key, nor the id of
 *   a row to which they belong
 *
 * @typedef {{ alias: string, column: string }} Column
 * @typedef {{ column: Column, sources: Column[], isMany: boolean }} Equality the column has the value of an expression of the sources;
 *   `isMany`: one of several values
 * @typedef {{ alias: string, table: string | null, isBatch: boolean }} Relation `table`: null for what is judged by itself, such as a
 *   subquery; `isBatch`: it has rows of any accounts
 */

/** @typedef {Record<string, any>} Tree of libpg-query */

/** @param {unknown} tree @param {(type: string, node: Tree) => void} visit */
function walk(tree, visit) {
  if (typeof tree !== 'object' || tree === null) return;
  for (const [type, node] of Object.entries(tree)) {
    if (typeof node === 'object' && node !== null && !Array.isArray(node)) visit(type, node);
    walk(node, visit);
  }
}

/** @param {unknown} tree @param {string} type @returns {Tree[]} */
export function findAll(tree, type) {
  /** @type {Tree[]} */
  const found = [];
  walk(tree, (name, node) => {
    if (name === type) found.push(node);
  });
  return found;
}

/** Functions that make rows of a parameter: a batch, of any accounts. */
const BATCH = /^(unnest|jsonb?_(to|populate)_recordset)$/;
const isBatch = (/** @type {unknown} */ tree) =>
  findAll(tree, 'FuncCall').some(({ funcname }) => BATCH.test(funcname.at(-1)?.String?.sval ?? ''));

const STATEMENTS = ['SelectStmt', 'UpdateStmt', 'DeleteStmt'];

/** Of an outer join, the sides whose rows stay also if they do not meet its condition. @param {Tree} join @returns {Tree[]} */
const keptSides = ({ jointype, larg, rarg }) => [
  ...(['JOIN_LEFT', 'JOIN_FULL'].includes(jointype) ? [larg] : []),
  ...(['JOIN_RIGHT', 'JOIN_FULL'].includes(jointype) ? [rarg] : []),
];

/** @param {Tree} item of a FROM clause @returns {string[]} */
function aliasesOf({ RangeVar: table, JoinExpr: join, RangeSubselect, RangeFunction }) {
  if (join) return [...aliasesOf(join.larg), ...aliasesOf(join.rarg)];
  const name = (table ?? RangeSubselect ?? RangeFunction)?.alias?.aliasname ?? table?.relname;
  return name ? [name] : [];
}

/** One `SELECT`, `UPDATE` or `DELETE` with its tables and conditions, without those inside of it. */
class Block {
  /** @type {Relation[]} */
  relations = [];
  /** @type {Equality[]} */
  equalities = [];
  /** @type {Set<string>} columns with a lower bound, as text */
  #lowerBounds = new Set();

  /**
   * @param {Tree} statement
   * @param {AccountTables} tables
   * @param {Map<string, boolean>} ctes of the whole statement; whether each is a batch
   * @param {number[]} nulls numbers of the parameters that are null
   */
  constructor(statement, tables, ctes, nulls) {
    this.tables = tables;
    this.ctes = ctes;
    this.nulls = nulls;
    const from = [...(statement.fromClause ?? []), ...(statement.usingClause ?? [])];
    if (statement.relation) from.push({ RangeVar: statement.relation });
    for (const item of from) this.#addRelations(item);
    for (const item of from) this.#addJoinConditions(item);
    this.#addConditions(statement.whereClause);
  }

  /** @param {Tree} item of a FROM clause */
  #addRelations({ RangeVar: table, JoinExpr: join, RangeSubselect, RangeFunction }) {
    if (join) {
      this.#addRelations(join.larg);
      this.#addRelations(join.rarg);
    } else if (table) {
      const name = table.schemaname ? `${table.schemaname}.${table.relname}` : table.relname;
      const isBatch = table.schemaname === undefined && this.ctes.get(table.relname) === true;
      this.relations.push({
        alias: table.alias?.aliasname ?? table.relname,
        table: this.tables.has(name) ? name : null,
        isBatch,
      });
    } else {
      const alias = (RangeSubselect ?? RangeFunction)?.alias?.aliasname;
      if (alias)
        this.relations.push({ alias, table: null, isBatch: isBatch(RangeSubselect ?? RangeFunction) });
    }
  }

  /** @param {Tree} item of a FROM clause */
  #addJoinConditions({ JoinExpr: join }) {
    if (!join) return;
    this.#addJoinConditions(join.larg);
    this.#addJoinConditions(join.rarg);
    const earlier = this.equalities.length;
    this.#addConditions(join.quals);
    for (const { String: name } of join.usingClause ?? []) {
      const sides = this.relations.filter(
        ({ table }) => table === null || this.tables.get(table)?.columns.has(name.sval),
      );
      for (const { alias } of sides)
        for (const other of sides) {
          if (other.alias === alias) continue;
          this.#addEquality({ alias, column: name.sval }, [{ alias: other.alias, column: name.sval }]);
        }
    }
    const kept = keptSides(join).flatMap(aliasesOf);
    const added = this.equalities.splice(earlier);
    this.equalities.push(...added.filter(({ column }) => !kept.includes(column.alias)));
  }

  /** @param {Column} column @param {Column[]} sources @param {boolean} isMany */
  #addEquality(column, sources, isMany = false) {
    this.equalities.push({ column, sources, isMany });
  }

  /** Adds what holds for all rows. @param {Tree | undefined} condition */
  #addConditions(condition) {
    if (!condition) return;
    const { BoolExpr: logic, A_Expr: operation, SubLink: sublink } = condition;
    if (logic?.boolop === 'AND_EXPR') for (const part of logic.args) this.#addConditions(part);
    if (logic?.boolop === 'OR_EXPR') this.#addAlternatives(logic.args);
    if (sublink?.subLinkType === 'ANY_SUBLINK') {
      const column = this.#columnOf(sublink.testexpr);
      if (column) this.#addEquality(column, [], isBatch(sublink.subselect));
    }
    if (operation) this.#addOperation(operation);
  }

  /** Alternatives that test whether a parameter is null are decided. @param {Tree[]} alternatives */
  #addAlternatives(alternatives) {
    const open = [];
    for (const alternative of alternatives) {
      const { NullTest: test } = alternative;
      const [parameter] = test ? findAll({ test: test.arg }, 'ParamRef') : [];
      if (!parameter || findAll(test.arg, 'ColumnRef').length > 0) open.push(alternative);
      else if (this.nulls.includes(parameter.number) === (test.nulltesttype === 'IS_NULL')) return;
    }
    if (open.length === 1) this.#addConditions(open[0]);
  }

  /** @param {Tree} operation */
  #addOperation({ kind, name, lexpr, rexpr }) {
    const operator = name[0].String.sval;
    const [left = [], right = []] = [lexpr, rexpr].map((side) => side?.RowExpr?.args ?? [side]);
    if (operator === '=' && kind === 'AEXPR_OP') {
      for (const [index, side] of left.entries()) this.#addEqual(side, right[index]);
    } else if (operator === '=' && (kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_IN')) {
      const column = this.#columnOf(lexpr);
      const isOne = rexpr.List?.items.length === 1;
      if (column) this.#addEquality(column, this.#columnsIn(rexpr), !isOne);
    } else if (kind === 'AEXPR_OP') {
      this.#addBound(operator, left, right);
    }
  }

  /** `id >= $1 AND (id, at) <= ($1, $2)` leaves one id. @param {string} operator @param {Tree[]} left @param {Tree[]} right */
  #addBound(operator, left, right) {
    const column = this.#columnOf(left[0]);
    if (!column || this.#columnsIn(right[0]).length > 0) return;
    const text = `${column.alias}.${column.column}`;
    if (operator === '>=' && left.length === 1) this.#lowerBounds.add(text);
    if (operator === '<=' && left.length > 1 && this.#lowerBounds.has(text)) this.#addEquality(column, []);
  }

  /** @param {Tree} left @param {Tree} right */
  #addEqual(left, right) {
    for (const [side, other] of [
      [left, right],
      [right, left],
    ]) {
      const column = this.#columnOf(side);
      if (column) this.#addEquality(column, this.#columnsIn(other));
    }
  }

  /** @param {Tree | undefined} expression @returns {Column | undefined} of a relation of this block */
  #columnOf(expression) {
    const fields = (expression?.TypeCast?.arg ?? expression)?.ColumnRef?.fields?.map(
      (/** @type {Tree} */ { String: part }) => part?.sval,
    );
    if (!fields) return undefined;
    const column = fields.at(-1);
    const relation =
      fields.length > 1
        ? this.relations.find(({ alias }) => alias === fields.at(-2))
        : this.relations.find(({ table }) => table !== null && this.tables.get(table)?.columns.has(column));
    return relation && { alias: relation.alias, column };
  }

  /** @param {Tree | undefined} expression @returns {Column[]} of relations of this block; those of outer ones are values */
  #columnsIn(expression) {
    if (!expression || expression.SubLink) return [];
    return findAll({ expression }, 'ColumnRef').flatMap(
      (reference) => this.#columnOf({ ColumnRef: reference }) ?? [],
    );
  }

  /** @returns {string[]} tables that nothing binds to one account */
  crossed() {
    /** @type {Set<string>} */
    const boundRelations = new Set(
      this.relations.filter(({ table, isBatch }) => table === null && !isBatch).map(({ alias }) => alias),
    );
    for (let size = -1; size !== boundRelations.size;) {
      size = boundRelations.size;
      for (const { alias, table } of this.relations)
        if (table !== null && this.#isBound(alias, table, boundRelations)) boundRelations.add(alias);
    }
    return this.relations.flatMap(({ alias, table }) =>
      table === null || boundRelations.has(alias) ? [] : [table],
    );
  }

  /** @param {string} alias @param {string} table @param {Set<string>} boundRelations */
  #isBound(alias, table, boundRelations) {
    const { accountColumns, uniqueKeys, parentColumns } = this.tables.get(table) ?? never(table);
    const known = this.equalities.filter(
      ({ column, sources, isMany }) =>
        !isMany && column.alias === alias && sources.every((source) => boundRelations.has(source.alias)),
    );
    const columns = new Set(known.map(({ column }) => column.column));
    return (
      [...accountColumns, ...parentColumns].some((column) => columns.has(column)) ||
      uniqueKeys.some((key) => key.every((column) => columns.has(column)))
    );
  }
}

/** @param {string} table @returns {never} */
function never(table) {
  throw new Error(`${table} is no table of accounts.`);
}

/**
 * @param {string} text of a statement, or several
 * @param {AccountTables} tables
 * @param {number[]} [nulls] numbers of the parameters that are null
 * @returns {Promise<StatementScope>}
 * @throws if it is not valid SQL
 */
export async function scopeOf(text, tables, nulls = []) {
  const tree = await parse(text);
  /** @type {Map<string, boolean>} */
  const ctes = new Map();
  // A part that reads a batch is one itself.
  for (const { ctename, ctequery } of findAll(tree, 'CommonTableExpr')) {
    const readsBatch = findAll(ctequery, 'RangeVar').some(({ relname }) => ctes.get(relname) === true);
    ctes.set(ctename, readsBatch || isBatch(ctequery));
  }
  /** @type {Set<string>} */
  const used = new Set();
  for (const { schemaname, relname } of [...findAll(tree, 'RangeVar'), ...findAll(tree, 'relation')])
    if (tables.has(`${schemaname}.${relname}`)) used.add(`${schemaname}.${relname}`);
  /** @type {Set<string>} */
  const crossed = new Set();
  walk(tree, (type, node) => {
    if (!STATEMENTS.includes(type) && !['larg', 'rarg'].includes(type)) return;
    for (const table of new Block(node, tables, ctes, nulls).crossed()) crossed.add(table);
  });
  return { tables: [...used].sort(), crossed: [...crossed].sort() };
}
