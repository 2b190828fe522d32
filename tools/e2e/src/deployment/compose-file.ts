import { generateVariables, readServices } from '../../../images/compose-file.mjs';
import { ROOT } from '../site/service-process';
import { type Environment } from './app-config';

export { environmentOf } from '../../../images/compose-file.mjs';

/** The services of docker/compose.yaml by name. */
export const services = readServices(ROOT);

/** The variables with which compose reads the file, with new secrets each time. */
export const generatedVariables = (): Environment => generateVariables(ROOT);
