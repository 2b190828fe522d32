import { startService } from '@inference/http';
import { AppModule } from './app.module';
import { readAgentConfig } from './config';
import { SERVICE_OPTIONS } from './service-options';

void startService(readAgentConfig, (config) => AppModule.forRoot(config), SERVICE_OPTIONS);
