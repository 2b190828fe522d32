import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  certificate: string;
  key: string;
}

/** A certificate authority that no system trusts by itself. Certificates and keys are files. */
export class CertificateAuthority {
  private readonly folder = mkdtempSync(join(tmpdir(), 'authority-'));
  readonly certificate = join(this.folder, 'authority.pem');
  private readonly key = join(this.folder, 'authority.key');

  constructor() {
    execFileSync('chmod', ['755', this.folder]);
    const subject = ['-subj', '/CN=Test authority', '-days', '2'];
    this.openssl('req', '-x509', ...NEW_KEY, '-keyout', this.key, '-out', this.certificate, ...subject);
  }

  /** @param owner of the key: PostgreSQL refuses one that others may read */
  issue(hostname: string, owner = 0): Certificate {
    const [request, certificate, key] = ['csr', 'pem', 'key'].map((end) =>
      join(this.folder, `${hostname}.${end}`),
    );
    const names = ['-subj', `/CN=${hostname}`, '-addext', `subjectAltName=DNS:${hostname}`];
    this.openssl('req', ...NEW_KEY, '-keyout', key!, '-out', request!, ...names);
    const signed = ['-CA', this.certificate, '-CAkey', this.key, '-CAcreateserial', '-days', '2'];
    this.openssl(
      'x509',
      '-req',
      '-in',
      request!,
      '-out',
      certificate!,
      ...signed,
      '-copy_extensions',
      'copy',
    );
    chownSync(key!, owner, owner);
    return { certificate: certificate!, key: key! };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private openssl(...args: string[]): void {
    execFileSync('openssl', args, { stdio: 'pipe' });
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
