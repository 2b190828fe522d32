import { startService } from '@inference/http';
import { AppModule } from './app.module';
import { readConsoleConfig } from './config';
import { SERVICE_OPTIONS } from './service-options';

void startService(readConsoleConfig, (config) => AppModule.forRoot(config), SERVICE_OPTIONS);
