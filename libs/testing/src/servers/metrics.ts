import { type INestApplicationContext } from '@nestjs/common';
import { Metrics } from '@inference/http';

/** The metrics of a service as Prometheus reads them. */
export const metricsOf = (app: INestApplicationContext): Promise<string> =>
  app.get(Metrics, { strict: false }).registry.metrics();
