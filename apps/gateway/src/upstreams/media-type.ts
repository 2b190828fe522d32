const TYPE = /^\s*([^\s;,]+)/;

/** The media type of a header in lower case and without its parameters (RFC 9110, 8.3.1); empty if there is none. */
const mediaTypeOf = (contentType: string): string => TYPE.exec(contentType)?.[1]?.toLowerCase() ?? '';

export const isEventStream = (contentType: string): boolean =>
  mediaTypeOf(contentType) === 'text/event-stream';

export const isJson = (contentType: string): boolean => /[/+]json$/.test(mediaTypeOf(contentType));

/** The header with its media type in lower case: not every client compares types as it should. */
export const inLowerCase = (contentType: string): string =>
  contentType.replace(TYPE, (type) => type.toLowerCase());
