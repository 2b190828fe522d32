import { startService } from '@inference/http';
import { AppModule } from './app.module';
import { readMemoConfig } from './config';
import { SERVICE_OPTIONS } from './service-options';

void startService(readMemoConfig, (config) => AppModule.forRoot(config), SERVICE_OPTIONS);
