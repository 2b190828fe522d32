import { type ProxyRequest } from './proxy-request';

/**
 * Returns the body for the upstream: the client's bytes with the given fields set. The value of a field that the body has is
 * replaced, other fields are inserted at its start, and every other byte stays as it was. The
 * body is not empty, and the fields are among READ_FIELDS.
 */
export function withFields(
  { raw, members }: Pick<ProxyRequest, 'raw' | 'members'>,
  fields: Record<string, unknown>,
): Buffer {
  const present = members.filter(({ name }) => Object.hasOwn(fields, name));
  const absent = Object.entries(fields).filter(([name]) => !present.some((member) => member.name === name));
  if (present.length + absent.length === 0) return raw;
  const parts: Buffer[] = [];
  let copied = 0;
  const replace = (start: number, end: number, text: string) => {
    parts.push(raw.subarray(copied, start), Buffer.from(text));
    copied = end;
  };
  const start = raw.indexOf('{') + 1;
  if (absent.length > 0) replace(start, start, `${JSON.stringify(Object.fromEntries(absent)).slice(1, -1)},`);
  for (const member of present) replace(member.start, member.end, JSON.stringify(fields[member.name]));
  return Buffer.concat([...parts, raw.subarray(copied)]);
}
