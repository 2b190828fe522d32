import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../site/service-process';
import { type Environment } from './app-config';
import { parseYaml } from './yaml';

export interface ComposeService {
  build?: { args?: { APP?: string } };
  command?: string[];
  environment?: Environment;
}

const [file] = parseYaml(readFileSync(join(ROOT, 'docker/compose.yaml'), 'utf8'));

/** The services of docker/compose.yaml by name. */
export const { services } = file as { services: Record<string, ComposeService> };
