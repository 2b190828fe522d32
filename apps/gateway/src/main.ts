import { startService } from '@inference/http';
import { AppModule } from './app.module';
import { readGatewayConfig } from './config';
import { gatewayService } from './service-options';

void startService(readGatewayConfig, (config) => AppModule.forRoot(config), gatewayService());
