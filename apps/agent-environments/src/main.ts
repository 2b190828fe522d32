import { startService } from '@inference/http';
import { AppModule } from './app.module';
import { readAgentEnvironmentsConfig } from './config';
import { SERVICE_OPTIONS } from './service-options';

void startService(readAgentEnvironmentsConfig, (config) => AppModule.forRoot(config), SERVICE_OPTIONS);
