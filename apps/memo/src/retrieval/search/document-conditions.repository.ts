import { BadRequestException } from '@nestjs/common';
import { type InstantMicros, instantText } from '@inference/time';
import { type Metadata } from '../../tables/document-version.entity';

/** Which documents of a workspace are searched. What is absent excludes none. */
export interface DocumentConditions {
  document_ids?: string[] | undefined;
  /** Times from which, and before which. */
  created_from?: InstantMicros | undefined;
  created_to?: InstantMicros | undefined;
  updated_from?: InstantMicros | undefined;
  updated_to?: InstantMicros | undefined;
  /** Names with the values that the metadata of the served version has. */
  metadata?: Metadata | undefined;
}

/** Documents of a workspace, as a condition of SQL. */
export interface ChosenDocuments {
  /**
   * The condition on the row `d` of a document and the row `v` of its served version. @param before how many parameters the statement
   * has in front of the values
   */
  sql: (before: number) => string;
  values: unknown[];
}

/** The documents that meet conditions; null for all. Throws 400 if no time can be between two bounds. */
export function chosenDocuments(conditions: DocumentConditions): ChosenDocuments | null {
  const parts: ((parameter: string) => string)[] = [];
  const values: unknown[] = [];
  const add = (part: (parameter: string) => string, value: unknown) => {
    parts.push(part);
    values.push(value);
  };
  if (conditions.document_ids) add((ids) => `d.id = ANY(${ids}::text[])`, conditions.document_ids);
  for (const time of ['created', 'updated'] as const) {
    const [from, to] = [conditions[`${time}_from`], conditions[`${time}_to`]];
    if (from !== undefined && to !== undefined && from >= to)
      throw new BadRequestException(`${time}_from: must be before \`${time}_to\``);
    if (from !== undefined) add((value) => `d.${time}_at >= ${value}::timestamptz`, instantText(from));
    if (to !== undefined) add((value) => `d.${time}_at < ${value}::timestamptz`, instantText(to));
  }
  if (conditions.metadata && Object.keys(conditions.metadata).length > 0)
    add((pairs) => `v.metadata::jsonb @> ${pairs}::jsonb`, JSON.stringify(conditions.metadata));
  if (parts.length === 0) return null;
  return { sql: (before) => parts.map((part, n) => part(`$${before + n + 1}`)).join(' AND '), values };
}
