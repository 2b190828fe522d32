import { Module } from '@nestjs/common';
import { ServiceProxyModule } from '../service-proxy/service-proxy.module';
import { PlaygroundController } from './playground.controller';

/** Calls of models in a browser, through the gateway. */
@Module({ imports: [ServiceProxyModule], controllers: [PlaygroundController] })
export class PlaygroundModule {}
