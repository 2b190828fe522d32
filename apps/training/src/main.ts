import { startService } from '@inference/http';
import { AppModule } from './app.module';
import { readTrainingConfig } from './config';
import { SERVICE_OPTIONS } from './service-options';

void startService(readTrainingConfig, (config) => AppModule.forRoot(config), SERVICE_OPTIONS);
