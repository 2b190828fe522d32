import { startService } from '@inference/http';
import { AppModule } from './app.module';
import { readRouterCostConfig } from './config';
import { SERVICE_OPTIONS } from './service-options';

void startService(readRouterCostConfig, (config) => AppModule.forRoot(config), SERVICE_OPTIONS);
