import { createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The subset of X.509 (RFC 5280) in DER that a self-signed certificate with an RSA key needs. */

const TAG = {
  integer: 0x02,
  bitString: 0x03,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  explicit0: 0xa0,
};
const VERSION_3 = Buffer.from([2]);
const SHA256_WITH_RSA = Buffer.from('2a864886f70d01010b', 'hex');
const COMMON_NAME = Buffer.from('550403', 'hex');
const SHORTEST_LONG_LENGTH = 0x80;
const SERIAL_BYTES = 20;
const DAY_MS = 86_400_000;
const LIFE_DAYS = 5 * 365;

function lengthOf(content: Buffer): Buffer {
  if (content.length < SHORTEST_LONG_LENGTH) return Buffer.from([content.length]);
  const hex = content.length.toString(16);
  const digits = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([SHORTEST_LONG_LENGTH | digits.length]), digits]);
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

const sequence = (...parts: Buffer[]) => der(TAG.sequence, ...parts);
const bitString = (bytes: Buffer) => der(TAG.bitString, Buffer.from([0]), bytes);

/** UTCTime, YYMMDDHHMMSSZ, which covers the years up to 2049. */
const utcTime = (time: Date) =>
  der(TAG.utcTime, Buffer.from(`${time.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

/** A positive number without a leading zero, so that every tool prints the same digits. */
function newSerial(): Buffer {
  const serial = randomBytes(SERIAL_BYTES);
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  return serial;
}

/** Returns the certificate in PEM and its serial number in upper-case hexadecimal. */
export function selfSignedCertificate(
  commonName: string,
  privateKey: KeyObject,
): { certificate: string; serial: string } {
  const serial = newSerial();
  const algorithm = sequence(der(TAG.oid, SHA256_WITH_RSA), der(TAG.null));
  const name = sequence(
    der(TAG.set, sequence(der(TAG.oid, COMMON_NAME), der(TAG.utf8String, Buffer.from(commonName)))),
  );
  const now = Date.now();
  const signed = sequence(
    der(TAG.explicit0, der(TAG.integer, VERSION_3)),
    der(TAG.integer, serial),
    algorithm,
    name,
    sequence(utcTime(new Date(now - DAY_MS)), utcTime(new Date(now + LIFE_DAYS * DAY_MS))),
    name,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
  );
  const certificate = sequence(signed, algorithm, bitString(sign('sha256', signed, privateKey)));
  const lines = certificate.toString('base64').match(/.{1,64}/g)!;
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    serial: serial.toString('hex').toUpperCase(),
  };
}
