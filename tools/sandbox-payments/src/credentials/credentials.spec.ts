import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { selfSignedCertificate } from './credentials';

const DAY_MS = 86_400_000;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

describe('a self-signed certificate', () => {
  const { certificate, serial } = selfSignedCertificate('商户 Tenpay', privateKey);
  const read = new X509Certificate(certificate);

  it('is signed by its own key', () => {
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.checkPrivateKey(privateKey)).toBe(true);
    expect(read.checkIssued(read)).toBe(true);
    const { publicKey: another } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(read.verify(another)).toBe(false);
  });

  it('says whose it is, and is valid now', () => {
    expect([read.subject, read.issuer]).toEqual(['CN=商户 Tenpay', 'CN=商户 Tenpay']);
    const [from, to] = [Date.parse(read.validFrom), Date.parse(read.validTo)];
    expect(from).toBeLessThan(Date.now());
    expect(to).toBeGreaterThan(Date.now() + 365 * DAY_MS);
  });

  it('has a unique serial number without a leading zero', () => {
    const serials = Array.from({ length: 50 }, () => selfSignedCertificate('x', privateKey));
    for (const each of serials) {
      expect(each.serial).toMatch(/^[4-7][0-9A-F]{39}$/);
      expect(new X509Certificate(each.certificate).serialNumber).toBe(each.serial);
    }
    expect(new Set([serial, ...serials.map((each) => each.serial)]).size).toBe(51);
  });
});
