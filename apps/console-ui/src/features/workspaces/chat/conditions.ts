/** A document that questions are restricted to. */
export interface ChosenDocument {
  id: string;
  title: string;
}

/** Where the answer to a question is looked for. */
export interface Conditions {
  /** Empty: all documents. */
  documents: ChosenDocument[];
  /** Which time the days are about. */
  time: 'created' | 'updated';
  /** Days such as `2026-03-08`, both included; empty: any. */
  from: string;
  to: string;
  /** A name of the metadata, and its value as it is typed. */
  name: string;
  value: string;
}

export const NO_CONDITIONS: Conditions = {
  documents: [],
  time: 'created',
  from: '',
  to: '',
  name: '',
  value: '',
};

/** Whether the last day is before the first one. */
export const isPeriodReversed = ({ from, to }: Conditions): boolean => from !== '' && to !== '' && to < from;

/** The fields of a question. Days begin where the person is. */
export function conditionFields({ documents, time, from, to, name, value }: Conditions) {
  return {
    ...(documents.length > 0 && { document_ids: documents.map(({ id }) => id) }),
    ...(from !== '' && { [`${time}_from`]: startOfDay(from, 0) }),
    ...(to !== '' && { [`${time}_to`]: startOfDay(to, 1) }),
    ...(name.trim() !== '' && { metadata: { [name.trim()]: typedValue(value.trim()) } }),
  };
}

/** The start of a day, or of one that comes later. */
function startOfDay(day: string, later: number): string {
  const [year, month, date] = day.split('-').map(Number);
  return new Date(year!, month! - 1, date! + later).toISOString();
}

/** A number, `true`, `false` or `null` as such; everything else, and what is in quotes, is a text. */
function typedValue(typed: string): string | number | boolean | null {
  try {
    const value: unknown = JSON.parse(typed);
    if (value === null || typeof value !== 'object') return value as string | number | boolean | null;
  } catch {
    // A text without quotes.
  }
  return typed;
}
