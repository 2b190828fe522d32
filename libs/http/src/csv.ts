function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns one line of CSV (RFC 4180), with its end. */
export const csvLine = (values: readonly string[]): string => `${values.map(field).join(',')}\r\n`;
