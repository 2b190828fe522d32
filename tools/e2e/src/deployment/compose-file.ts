import { generateVariables, readServices } from '../../../images/compose-file.mjs';
import { ROOT } from '../site/service-process';

export { APPS, environmentOf } from '../../../images/compose-file.mjs';

/** The services of docker/compose.yaml. */
export const services = readServices(ROOT);

export type Environment = Record<string, string>;

/** The variables with which compose reads the file: new secrets each time. */
export const generatedVariables = (): Environment => generateVariables(ROOT);

/** The service that runs the app itself, not another command of its image. */
export function serviceOf(app: string) {
  const found = Object.values(services).find(({ build, command }) => !command && build?.args?.APP === app);
  if (!found) throw new Error(`docker/compose.yaml does not start ${app}.`);
  return found;
}
