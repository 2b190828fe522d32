export { createService, startService, type ServiceConfig, type ServiceOptions } from './service';
export { ServiceModule } from './service.module';
export { Public, PUBLIC } from './public.decorator';
export { ErrorFilter, describeError, type DescribedError } from './error.filter';
export { ValidBody, ValidQuery } from './validation';
export { ExactJsonInterceptor } from './exact-json.interceptor';
export { HealthController } from './health/health.controller';
export { Metrics } from './metrics/metrics';
