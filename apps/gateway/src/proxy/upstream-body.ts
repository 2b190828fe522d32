import { readJson, UniqueNames } from '@inference/http';
import { type ProxyRequest } from './request/proxy-request';

/** What a field of a body is set to: a value, or JSON as it is to stand there. */
export type FieldValue = string | number | boolean | null | Buffer;

const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];
const SPACES = new Set([...' \t\r\n'].map((space) => space.charCodeAt(0)));

const USAGE_OPTION = new UniqueNames({ include_usage: {} });

/** The options of a stream with the usage, and with every other byte that the client has written. */
export function withUsageOption({ raw, members }: Pick<ProxyRequest, 'raw' | 'members'>): Buffer {
  const given = members.find(({ name }) => name === 'stream_options');
  const options = given && raw.subarray(given.start, given.end);
  // What is no object is null.
  if (!options || options[0] !== OPEN_OBJECT) return Buffer.from('{"include_usage":true}');
  const { members: inside } = readJson(options, { names: USAGE_OPTION });
  return withFields({ raw: options, members: inside }, { include_usage: true });
}

/**
 * Returns the body for the upstream: the client's bytes with the given fields set. The value of a field that the body has is
 * replaced, other fields are inserted at its start, and every other byte stays as it was. The fields are among the names of the members.
 */
export function withFields(
  { raw, members }: Pick<ProxyRequest, 'raw' | 'members'>,
  fields: Record<string, FieldValue>,
): Buffer {
  const present = members.filter(({ name }) => Object.hasOwn(fields, name));
  const absent = Object.entries(fields).filter(([name]) => !present.some((member) => member.name === name));
  if (present.length + absent.length === 0) return raw;
  const parts: Buffer[] = [];
  let copied = 0;
  const replace = (start: number, end: number, ...json: Buffer[]) => {
    parts.push(raw.subarray(copied, start), ...json);
    copied = end;
  };
  const start = raw.indexOf(OPEN_OBJECT) + 1;
  const separator = Buffer.from(members.length === 0 && isEmptyFrom(raw, start) ? '' : ',');
  const written = absent.flatMap(([name, value], index) => [
    Buffer.from(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`),
    jsonOf(value),
  ]);
  if (absent.length > 0) replace(start, start, ...written, separator);
  for (const member of present) replace(member.start, member.end, jsonOf(fields[member.name]!));
  return Buffer.concat([...parts, raw.subarray(copied)]);
}

/** Whether an object ends without a member. */
function isEmptyFrom(raw: Buffer, start: number): boolean {
  let next = start;
  while (SPACES.has(raw[next]!)) next++;
  return raw[next] === CLOSE_OBJECT;
}

const jsonOf = (value: FieldValue): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
